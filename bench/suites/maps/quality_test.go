package maps

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

func lists(t *testing.T, k int, indices ...int64) *neighbors.Graph {
	t.Helper()
	distances := make([]float64, len(indices))
	for i := range distances {
		distances[i] = float64(i%k) + 1
	}
	g := must.Get(neighbors.FromLists(k, indices, distances))(t)
	return g
}

func TestMisclassified(t *testing.T) {
	g := lists(t, 3,
		1, 2, 3, // of classes 0, 1, 1: wrong for class 0
		0, 2, 4, // of classes 0, 1, 2: the nearest decides
		3, 0, 1,
		2, 0, 1,
		3, 2, 0)
	if got := misclassified(g, []int64{0, 0, 1, 1, 2}); math.Abs(got-4.0/5) > 1e-15 {
		t.Errorf("%g of the samples", got)
	}
}

func TestSharedNeighbors(t *testing.T) {
	a, b := lists(t, 2, 1, 2, 0, 2, 0, 1, 0, 1), lists(t, 2, 2, 1, 3, 0, 3, 0, 2, 1)
	if got := sharedNeighbors(a, b); got != 5.0/8 {
		t.Errorf("%g of the neighbours", got)
	}
}

// The reference, computed once for each set, gives the same results as the measures of the package.
func TestReference(t *testing.T) {
	set := must.Get(datasets.Generate("swiss-roll", 200, 1, nil))(t)
	d := &bench.Data{X: set.X, Hash: bench.HashMatrix(set.X)}
	y := mat.DenseCopyOf(set.Params.Slice(0, 200, 0, 2))
	got := map[string]float64{}
	must.Do(t, measured(t.Context(), referenceOf(d), "tsne", y, func(key string, v float64) { got[key] = v }))
	kept := must.Get(measures.LCMC(t.Context(), set.X, y, nearest, measures.Options{}))(t)
	kl := must.Get(measures.KLDivergence(t.Context(), set.X, y, perplexity, measures.Options{}))(t)
	if want := kept + nearest/199.0; math.Abs(got[keptNeighbors]-want) > 1e-12 {
		t.Errorf("np15 is %g, by the measure %g", got[keptNeighbors], want)
	}
	if math.Abs(got[divergence]-kl) > 1e-12*kl {
		t.Errorf("KL is %g, by the measure %g", got[divergence], kl)
	}
	if _, found := got[classError]; found {
		t.Error("an error of classes of samples without classes")
	}
	if referenceOf(d) != referenceOf(&bench.Data{Hash: d.Hash}) {
		t.Error("the reference is made again for the same set")
	}
	start := must.Get(referenceOf(d).components(t.Context()))(t)
	if dev := mat.Norm(start.ColView(0), 2) / math.Sqrt(200); math.Abs(dev-1e-4) > 1e-16 || math.Abs(mat.Sum(start.ColView(0))) > 1e-12 {
		t.Errorf("the start has the deviation %g", dev)
	}
}

// Seeds are combined by the mean, peaks by the maximum, and disparities by the median.
func TestOutcome(t *testing.T) {
	set := must.Get(datasets.Generate("swiss-roll", 120, 1, nil))(t)
	d := &bench.Data{X: set.X, Labels: make([]int64, 120), Hash: bench.HashMatrix(set.X)}
	a := mat.DenseCopyOf(set.Params.Slice(0, 120, 0, 2))
	var turned, other mat.Dense
	turned.Mul(a, mat.NewDense(2, 2, []float64{0, -3, 3, 0}))
	other.CloneFrom(a)
	other.Set(0, 0, 1e3)
	list := []made{
		{Cost: bench.Cost{Wall: 1, CPU: 2}, process: bench.Cost{Wall: 5, CPU: 6}, peak: 1 << 20, version: "x 1", y: a},
		{Cost: bench.Cost{Wall: 3, CPU: 3}, process: bench.Cost{Wall: 5, CPU: 9}, peak: 4 << 20, y: &turned},
		{Cost: bench.Cost{Wall: 2, CPU: 7}, process: bench.Cost{Wall: 8, CPU: 9}, peak: 2 << 20, y: &other},
	}
	out := must.Get(outcome(t.Context(), &dataSet{drawn: true}, &programs[0], d, list))(t)
	if out.Seconds["total"] != 2 || out.CPUSeconds["total"] != 4 || out.Seconds["process"] != 6 || out.CPUSeconds["process"] != 8 || out.PeakBytes != 4<<20 || out.Backend != "x 1" {
		t.Errorf("%+v", out)
	}
	if s := out.Series[disparity]; len(s) != 3 || s[0] > 1e-12 || out.Quality[disparity] != max(min(s[1], s[2]), min(max(s[1], s[2]), s[0])) {
		t.Errorf("disparities %v, median %g", s, out.Quality[disparity])
	}
	if out.Quality[classError] != 0 || len(out.Series[keptNeighbors]) != 3 || out.Pictures[picture] == nil {
		t.Errorf("%+v", out)
	}
	if _, found := out.Quality[divergence]; found {
		t.Error("umap has a divergence")
	}
	if _, err := outcome(t.Context(), &dataSet{}, &programs[0], d, []made{{y: mat.NewDense(3, 2, nil)}}); err == nil {
		t.Error("a map of 3 samples from 120 passes")
	}
}
