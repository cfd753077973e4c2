package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Every method with a neighbour graph goes on over bridges, and says so.
func TestBridgeJoins(t *testing.T) {
	x := twoRolls(t)
	each(t, local(t), nil, func(t *testing.T, m Method) {
		if Values(m)["exclude_self"] == true { // with 10, nobody lists sample 150, and no equation places it
			if err := Set(m, "neighbors", "20"); err != nil {
				t.Fatal(err)
			}
		}
		r, model := fittedModel(t, x, m, Options{Components: "bridge", Model: true})
		if r.Components != 2 || !r.Converged || r.Details["bridges"] == nil {
			t.Errorf("%d components, converged %v, details %v", r.Components, r.Converged, r.Details)
		}
		text := strings.Join(r.Warnings, "\n")
		if !strings.Contains(text, "2 components (sizes 120, 80)") && m.Name() != "lnp" && m.Name() != "smce" {
			t.Errorf("warnings %q", text)
		}
		if !strings.Contains(text, fmt.Sprintf("the longest of length %.4g", r.Details["longest_bridge"])) {
			t.Errorf("warnings %q do not tell the length", text)
		}
		for at, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("coordinate %d of sample %d is %v", at%2, at/2, v)
			}
		}
		y := transformed(t, model, x, Options{})
		for at, v := range y.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("coordinate %d of sample %d, given again, is %v", at%2, at/2, v)
			}
		}
		for _, threads := range []int{1, 3} {
			again := embed(t, x, m, Options{Components: "bridge", Threads: threads})
			if !slices.Equal(again.Y.RawMatrix().Data, r.Y.RawMatrix().Data) {
				t.Errorf("other coordinates with %d threads", threads)
			}
		}
	})
}

// Samples on a line in two groups: the bridge is the gap, and paths over it have the
// lengths of the line, in the fit and in the model.
func TestIsomapOverABridge(t *testing.T) {
	x := mat.NewDense(30, 1, nil)
	for i := range 30 {
		x.Set(i, 0, float64(i))
		if i >= 18 {
			x.Set(i, 0, float64(i)+40.5)
		}
	}
	r, model := fittedModel(t, x, Isomap{Neighbors: 3, Dim: 1}, Options{Components: "bridge"})
	if r.Details["bridges"] != 1 || r.Details["longest_bridge"] != 41.5 {
		t.Errorf("details %v", r.Details)
	}
	y := transformed(t, model, x, Options{})
	for i := range 30 {
		want := math.Abs(x.At(i, 0) - x.At(0, 0))
		if got := math.Abs(r.Y.At(i, 0) - r.Y.At(0, 0)); math.Abs(got-want) > 1e-9 {
			t.Errorf("sample %d is %v from the first, on the line %v", i, got, want)
		}
		if math.Abs(y.At(i, 0)-r.Y.At(i, 0)) > 1e-9 {
			t.Errorf("sample %d, given again, is at %v, was at %v", i, y.At(i, 0), r.Y.At(i, 0))
		}
	}
}

// The default of lnp is to bridge; another policy, given, rules.
func TestLNPBridgesByDefault(t *testing.T) {
	x := twoRolls(t)
	r := embed(t, x, LNP{Neighbors: 9}, Options{})
	if r.Params["components"] != "bridge" {
		t.Errorf("parameters %v", r.Params)
	}
	if _, err := Embed(context.Background(), x, LNP{Neighbors: 9}, Options{Components: "error"}); err == nil || !strings.Contains(err.Error(), "joint or bridge") {
		t.Errorf("components=error: %v", err)
	}
	largest := embed(t, x, LNP{Neighbors: 9}, Options{Components: "largest"})
	left := 0
	for i := range 200 {
		if math.IsNaN(largest.Y.At(i, 0)) {
			left++
		}
	}
	if left == 0 {
		t.Error("components=largest leaves nothing out")
	}
	if lle := embed(t, generate(t, "swiss-roll", 200, 1).X, LLE{}, Options{}); lle.Params["components"] != "auto" {
		t.Errorf("lle: parameters %v", lle.Params)
	}
	var twice mat.Dense
	twice.Stack(x, x.Slice(0, 40, 0, 3))
	merged := embed(t, &twice, LNP{Neighbors: 9}, Options{Duplicates: "merge"})
	for i := range 40 {
		if !slices.Equal(merged.Y.RawRowView(200+i), merged.Y.RawRowView(i)) {
			t.Fatalf("a copy of sample %d lies elsewhere", i)
		}
	}
	if few := embed(t, x, LNP{Neighbors: 9}, Options{Landmarks: 90}); math.IsNaN(few.Y.At(199, 1)) {
		t.Error("landmarks: a sample has no coordinates")
	}
}

// On real data whose graph falls apart no part is a point: samples have places of their
// own.
func TestLNPOfRealData(t *testing.T) {
	for _, name := range []string{"sonar", "mfeat-pix", "coil20"} {
		t.Run(name, func(t *testing.T) {
			x := dataset(t, name+".X.npy")
			r, model := fittedModel(t, x, LNP{}, Options{Model: true})
			if r.Components < 5 || !r.Converged {
				t.Errorf("%d components, converged %v", r.Components, r.Converged)
			}
			n, d := r.Y.Dims()
			for j := range d {
				col := mat.Col(nil, j, r.Y)
				if mean, norm := vector.Sum(col)/float64(n), blas.Dot(col, col); math.Abs(mean) > 1e-10 || math.Abs(norm-1) > 1e-10 {
					t.Errorf("column %d has mean %g and squared norm %g", j, mean, norm)
				}
			}
			places := map[[2]float64]int{}
			for i := range n {
				row := r.Y.RawRowView(i)
				places[[2]float64{math.Round(row[0] * 1e8), math.Round(row[1] * 1e8)}]++
			}
			if len(places) < n*9/10 {
				t.Errorf("%d samples at %d places", n, len(places))
			}
			y := transformed(t, model, x, Options{})
			moved := 0
			for i := range n {
				if math.Hypot(y.At(i, 0)-r.Y.At(i, 0), y.At(i, 1)-r.Y.At(i, 1)) > 1e-9 {
					moved++
				}
			}
			if moved > r.Duplicates { // which come to the place of the earlier one
				t.Errorf("%d samples, given again, lie elsewhere", moved)
			}
		})
	}
}

// Parts with fewer samples than there are coordinates have zeros in the others.
func TestLNPOfSmallParts(t *testing.T) {
	x := mat.NewDense(9, 2, []float64{0, 0, 1, 0, 2, 0.1, 3, 0, 4, 0, 50, 0, 51, 0, 52, 0.1, 53, 0})
	r := embed(t, x, LNP{Neighbors: 3, Dim: 6}, Options{})
	if r.Components != 2 || len(r.Values) != 6 || len(r.Residuals) != 6 || !math.IsNaN(r.Values[5]) {
		t.Errorf("%d components, eigenvalues %v, residuals %v", r.Components, r.Values, r.Residuals)
	}
	for i := range 9 {
		if r.Y.At(i, 5) != 0 || r.Y.At(i, 0) == 0 {
			t.Errorf("sample %d is at %v", i, r.Y.RawRowView(i))
		}
	}
}
