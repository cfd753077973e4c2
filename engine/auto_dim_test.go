package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/suggest"
)

// What dim=auto finds of each generator. Where the second number is not 0 it is the truth,
// which the estimate misses: of many dimensions it is too small.
func TestAutoDimOfGenerators(t *testing.T) {
	for _, c := range []struct {
		name        string
		n           int
		found, miss int
	}{
		{"swiss-roll", 1500, 2, 0}, {"swiss-roll-hole", 1500, 2, 0}, {"swiss-roll-3d", 1500, 3, 0}, {"s-curve", 1500, 2, 0},
		{"helix", 1500, 1, 0}, {"triple-peak", 1521, 2, 0}, {"trefoil", 1500, 1, 0}, {"two-trefoils", 1500, 1, 0}, {"two-moons", 1500, 2, 0},
		{"gaussians", 1500, 9, 10}, {"clustered-manifolds", 1500, 10, 12}, {"waveform", 1500, 14, 21}, {"programmes", 500, 23, 2000},
		{"faces", 500, 2, 0},
	} {
		s := generate(t, c.name, c.n, 1)
		r := embed(t, s.X, PCA{Dim: Auto}, Options{})
		_, cols := r.Y.Dims()
		if r.Dim != c.found || cols != c.found || r.Params["dim"] != c.found {
			t.Errorf("%s: dim %d, %d columns, estimate %.2f; want %d", c.name, r.Dim, cols, r.Details["dim_estimate"], c.found)
		}
		if reason, _ := r.Details["dim_reason"].(string); r.Details["dim_found"] != c.found || !strings.Contains(reason, "the estimate ") {
			t.Errorf("%s: details %v", c.name, r.Details)
		}
	}
}

// All methods take it, and get no more coordinates than they have.
func TestAutoDimOfAllMethods(t *testing.T) {
	s := generate(t, "swiss-roll", 400, 1)
	labels := make([]int64, 400)
	for i := range labels {
		labels[i] = int64(i % 5)
	}
	for i := range s.X.RawMatrix().Data {
		s.X.RawMatrix().Data[i] += 20 // nonnegative
	}
	for _, e := range Methods() {
		if !slices.Contains(e.Tasks, "embed") {
			continue
		}
		m := named(t, e.Name)
		if err := Set(m, "dim", "auto"); err != nil {
			t.Fatal(err)
		}
		if Values(m)["dim"] != "auto" {
			t.Errorf("%s: dim is %v", e.Name, Values(m)["dim"])
		}
		r, err := Embed(t.Context(), s.X, m, Options{Labels: labels, Components: "largest"})
		if err != nil || r.Dim != 2 {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

func TestAutoDimRefuses(t *testing.T) {
	few, alike := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7}), mat.NewDense(9, 2, nil)
	for _, c := range []struct {
		x      mat.Matrix
		phrase string
	}{{few, "too few"}, {alike, "too similar"}} {
		if _, err := Embed(t.Context(), c.x, PCA{Dim: Auto}, Options{}); err == nil || !strings.Contains(err.Error(), "pca: Dim: engine.Auto: ") || !strings.Contains(err.Error(), c.phrase) {
			t.Errorf("%v", err)
		}
	}
	if _, err := Cluster(t.Context(), alike, LNP{Dim: Auto}, ClusterOptions{Clusters: 2}); err == nil || !strings.Contains(err.Error(), "Dim: engine.Auto is for embeddings") {
		t.Error(err)
	}
	line := mat.NewDense(50, 1, nil)
	for i := range 50 {
		line.Set(i, 0, math.Sqrt(float64(i)))
	}
	if r, err := Embed(t.Context(), line, PCA{Dim: Auto}, Options{}); err != nil || r.Dim != 1 {
		t.Error(err)
	}
}

// What is said of methods from elsewhere names methods that are here.
func TestInsteadNamesMethods(t *testing.T) {
	for _, name := range []string{"t-SNE", "UMAP", "PaCMAP", "densmap", "localmap", "phate", "kpca", "som", "ica", "factor-analysis", "trimap", "dbscan", "louvain", "pam", "gmm", "vae", "svd", "topic-model"} {
		text := suggest.Instead(name)
		method, _, _ := strings.Cut(strings.TrimPrefix(text, "take "), " ")
		if _, err := New(strings.Trim(method, ",;")); err != nil {
			t.Errorf("%s: %q: %v", name, text, err)
		}
		if _, err := New(name); err == nil || !strings.Contains(err.Error(), wording.Text(text, wording.Go)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestApproximateNeighbors(t *testing.T) {
	x := generate(t, "waveform", 2200, 1).X
	for _, c := range []struct {
		what  string
		x     mat.Matrix
		lines string
	}{
		{"large enough", x, "neighbours: approximate, recall "},
		{"small", x.Slice(0, 500, 0, 21), "neighbours: exact, which is as fast"},
		{"sparse", compressedOf(t, x.Slice(0, 500, 0, 21).(*mat.Dense)), "neighbours: exact, because the samples are sparse"},
	} {
		t.Run(c.what, func(t *testing.T) {
			var lines []string
			r := embed(t, c.x, LE{Neighbors: 10}, Options{Neighbors: "approximate", Explain: func(line string) { lines = append(lines, line) }})
			recall, ok := r.Details["recall"].(float64)
			if !ok || recall < 0.99 || recall > 1 {
				t.Errorf("%s: recall %v", c.what, r.Details["recall"])
			}
			if rows, _ := r.Details["recall_rows"].(int); (rows == 0) != (c.what != "large enough") {
				t.Errorf("%s: recall measured on %v rows", c.what, r.Details["recall_rows"])
			}
			if !strings.Contains(strings.Join(lines, "\n"), c.lines) {
				t.Errorf("%s: explained %q", c.what, lines)
			}
			exact := embed(t, c.x, LE{Neighbors: 10}, Options{})
			if _, ok := exact.Details["recall"]; ok {
				t.Errorf("%s: an exact search reports a recall", c.what)
			}
			if c.what == "small" && !mat.Equal(r.Y, exact.Y) {
				t.Error("small: differs from the exact search")
			}
		})
	}
}

func TestApproximateNeighborsRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 60, 1).X
	r := refusing(t)
	r.embed("", x, LE{}, Options{Neighbors: "aproximate"})
	r.embed("", x, LE{}, Options{Recall: 1.01})
	r.embed("", x, LE{}, Options{Recall: -1})
}
