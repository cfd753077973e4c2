package neighbors_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// The fingerprints that come with the real data sets: nearest-neighbour errors,
// ties by the lower row, and the components of neighbour graphs. Several of the
// sets are full of exact ties and some of duplicates.
func TestFingerprintsOfRealData(t *testing.T) {
	dir := golden.Data(t)
	type components struct{ k, count, largest int }
	for _, c := range []struct {
		name, extension string
		distinct        int
		errors          int // of the nearest other row's label; −1: no labels
		graphs          []components
	}{
		{"ionosphere", "npy", 350, 47, []components{{10, 1, 351}, {19, 1, 351}}},
		{"sonar", "npy", 208, 36, []components{{10, 1, 208}, {14, 1, 208}}},
		{"movement", "npy", 330, 46, []components{{10, 1, 360}, {19, 1, 360}}},
		{"mfeat-pix", "npy", 1994, 48, []components{{5, 1, 2000}, {45, 1, 2000}}},
		{"semeion", "npy", 1593, 132, []components{{5, 1, 1593}, {40, 1, 1593}}},
		{"wdbc", "npy", 569, 48, []components{{10, 1, 569}}},
		{"coil20", "npy", 1440, 0, []components{{5, 9, 864}, {10, 6, 1080}, {20, 3, 1296}}},
		{"orl32", "npy", 400, 21, []components{{5, 3, 380}, {10, 1, 400}}},
		{"orl64", "npy", 400, 22, []components{{5, 4, 370}, {20, 1, 400}}},
		{"isomap-faces32", "npy", 698, -1, []components{{8, 1, 698}, {14, 1, 698}}},
		{"usps", "npy", 11000, 425, []components{{10, 1, 11000}, {20, 1, 11000}}},
		{"mnist10k", "npy", 10000, 442, []components{{10, 1, 10000}, {20, 1, 10000}}},
		{"20news-w100", "mtx", 10267, 5024, []components{{20, 1, 16242}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && (c.distinct > 5000) {
				t.Skip("a large set, left out by -short")
			}
			x, err := files.ReadMatrix(filepath.Join(dir, c.name+".X."+c.extension), files.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rows := samples.Of(x)
			if got := len(rows.Copies().First); got != c.distinct {
				t.Errorf("%d distinct rows, want %d", got, c.distinct)
			}
			most := c.graphs[len(c.graphs)-1].k
			g, err := neighbors.Exact(t.Context(), rows.Points(), most, neighbors.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.graphs {
				_, sizes := g.Truncated(want.k).Components()
				if len(sizes) != want.count || slices.Max(sizes) != want.largest {
					t.Errorf("k = %d: %d components, the largest of %d; want %d and %d", want.k, len(sizes), slices.Max(sizes), want.count, want.largest)
				}
			}
			if c.errors < 0 {
				return
			}
			labels, err := files.ReadLabels(filepath.Join(dir, c.name+".y.npy"), files.Options{})
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for i, label := range labels {
				if labels[g.Of(i)[0]] != label {
					wrong++
				}
			}
			if wrong != c.errors {
				t.Errorf("%d nearest neighbours of another class, want %d", wrong, c.errors)
			}
		})
	}
}
