package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Each component on its own: samples of the second land among it, where the method has a rule
// for several.
func TestModelsOfComponents(t *testing.T) {
	two := twoRolls(t)
	r, each := fittedModel(t, two, LTSA{Neighbors: 9}, Options{Components: "each", Model: true})
	if y := transformed(t, each, two, Options{}); !mat.EqualApprox(y, r.Y, 0.1) {
		t.Error("samples of the fit are mapped elsewhere")
	}
	refused := refusing(t)
	refused.of("a model", failed(embed(t, two, LE{Neighbors: 9}, Options{Components: "each"}).Model()))
	refused.embed("a model in advance", two, LE{Neighbors: 9}, Options{Components: "each", Model: true})
	// A model of landmarks holds these, and counts all samples.
	_, few := fittedModel(t, generate(t, "swiss-roll", 900, 1).X, LTSA{Neighbors: 10}, Options{Landmarks: 300})
	if rows, _ := partsOf(t, few).Arrays["samples"].Dims(); rows != 300 || few.Samples != 900 {
		t.Errorf("%d samples in the model, fitted to %d", rows, few.Samples)
	}
}

func TestTransformRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 100, 1).X
	r := refusing(t)
	for _, method := range []Method{LTSA{}, LE{}, PCA{}} {
		_, m := fittedModel(t, x, method, Options{})
		r.transform(m.Method, m, mat.NewDense(4, 2, nil))
		r.transform(m.Method, m, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, math.NaN()}))
		r.transform(m.Method, m, mat.NewDense(1, 3, []float64{1e200, 0, 0}))
		r.of("backend", failed(m.Transform(t.Context(), x, Options{Backend: "mkl"})))
	}
	// A sample that points away from all others has no weight by the cosine.
	away := mat.NewDense(50, 2, nil)
	for i := range 50 {
		away.SetRow(i, []float64{1 + float64(i%7), 1 + float64(i)/10})
	}
	_, m := fittedModel(t, away, LE{Weights: "cosine", Neighbors: 8}, Options{})
	r.transform("away", m, mat.NewDense(3, 2, []float64{1, 1, -1, -1, -2, -2}))
	// One far from all others has, by the heat kernel.
	_, m = fittedModel(t, away, LE{Weights: "heat", Neighbors: 8}, Options{})
	if y := transformed(t, m, mat.NewDense(1, 2, []float64{1e6, -1e6}), Options{}); !(math.Abs(y.At(0, 0)) < 10) {
		t.Errorf("a far sample is mapped to %v", y.RawRowView(0))
	}
}

// Errors of work beyond the limit are distinguishable, from the steps and from the solver.
func TestIsMemory(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	refused := 0
	for limit := int64(1000); limit < 1<<30; limit += limit / 4 { // those of the steps are below those of the solver
		if _, err := Embed(t.Context(), x, LLE{}, Options{Memory: limit}); err != nil {
			refused++
			if !IsMemory(err) {
				t.Errorf("limit %d: %v is not said to be about memory", limit, err)
			}
		}
	}
	if refused < 2 {
		t.Errorf("only %d limits were refused", refused)
	}
	if _, err := Embed(t.Context(), x, LLE{Neighbors: 300}, Options{}); err == nil || IsMemory(err) {
		t.Errorf("an error about neighbours is said to be about memory: %v", err)
	}
}

// The table shows without a fit which methods have a rule for new samples.
func TestExtends(t *testing.T) {
	want := map[string]bool{"lle": true, "pca": true, "nmms": true, "nmf": true, "sp-rna": true, "dsmf": false, "rmnmf": false, "apmf": false, "smrmf": false, "dpp": false, "kmeans": false, "spectral": false}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			if expected, listed := want[e.Name]; listed && e.Extends != expected {
				t.Errorf("%s: extends is %v", e.Name, e.Extends)
			}
		})
	}
}
