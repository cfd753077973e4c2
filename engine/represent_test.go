package engine

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// The four points whose weights Chen, Lv and Yi (2014) print.
func TestReconstructionWeights(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{9.8, 15.4, 12.35, 13.7, 11.75, 8.2, 4.9, 1.95})
	printed := [4][4]float64{{0, 1.7408, -1.147, 0.4062}, {0.5541, 0, 0.6871, -0.2412}, {-0.7562, 1.4021, 0, 0.3541}, {1.81, -3.4338, 2.6238, 0}}
	g := graphOf(t, x, 3)
	w := must(ReconstructionWeights(context.Background(), x, g, 1e-3, Options{}))(t)
	for i := range 4 {
		for a, j := range g.Of(i) {
			// Printed to four places; one of them is off by 6e-5.
			if got, want := w.At(i, a), printed[i][j]; math.Abs(got-want) > 6.5e-5 {
				t.Errorf("weight of %d in %d: %v, printed %v", j, i, got, want)
			}
		}
	}
	for _, c := range []struct {
		x     *mat.Dense
		gamma float64
		says  string
	}{{mat.NewDense(3, 2, nil), 1e-3, "4 samples for data of 3"}, {x, 0, "gamma is 0"}, {x, math.NaN(), "gamma is NaN"}} {
		t.Run(c.says, func(t *testing.T) {
			if _, err := ReconstructionWeights(context.Background(), c.x, g, c.gamma, Options{}); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v does not say %q", err, c.says)
			}
		})
	}
}

// A graph of distances is enough where the weights need no samples.
func TestRepresentOfAGraphAlone(t *testing.T) {
	x := generate(t, "swiss-roll", 120, 4).X
	g := graphOf(t, x, 7)
	want := must(Represent(t.Context(), x, LE{Weights: "heat"}, Options{Graph: g}))(t)
	got, err := Represent(t.Context(), nil, LE{Weights: "heat"}, Options{Graph: g})
	if err != nil || !slices.Equal(got.Weight, want.Weight) || !slices.Equal(got.Index, want.Index) {
		t.Errorf("other neighbours or weights without samples, error %v", err)
	}
	if _, err := Represent(t.Context(), nil, LLE{}, Options{Graph: g}); err == nil || !strings.Contains(err.Error(), "it needs the samples") {
		t.Errorf("lle without samples: %v", err)
	}
}

// With neighbors=auto the neighbours are those that Embed takes: of samples moved off their
// noise, and as many as it finds.
func TestRepresentTakesTheNeighborsOfEmbed(t *testing.T) {
	x := mat.DenseCopyOf(generate(t, "swiss-roll", 1200, 5).X)
	noise := make([]float64, len(x.RawMatrix().Data))
	blas.NewStream(9).Uniforms(noise)
	for i := range noise {
		x.RawMatrix().Data[i] += 1.5 * (noise[i] - 0.5)
	}
	r := embed(t, x, LLE{Neighbors: Auto}, Options{})
	d, err := Denoise(t.Context(), x, 2, Options{})
	if err != nil || !d.Moved {
		t.Fatalf("moved %v, error %v", d.Moved, err)
	}
	want := must(Represent(t.Context(), d.X, LLE{Neighbors: r.Details["neighbors_found"].(int)}, Options{}))(t)
	got, err := Represent(t.Context(), x, LLE{Neighbors: Auto}, Options{})
	if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Weight, want.Weight) {
		t.Errorf("neighbours other than those of Embed, error %v", err)
	}
}

// The defaults are right where the samples are dense: with γ = 0.001 the bias of the
// weights along the sheet passes its bending, and the embedding is another one.
func TestDefaultsOnDenseSheets(t *testing.T) {
	s := generate(t, "swiss-roll", 20000, 1, "params=isometric")
	for _, c := range []struct {
		auto, given Method
		dev, before float64
	}{
		{LLE{}, LLE{Gamma: 1e-3}, 0.01, 0.04}, {MLLE{}, MLLE{Gamma: 1e-3}, 5e-4, 1e-3}, {NEML{}, NEML{Gamma: 1e-2}, 1e-3, 0.1},
	} {
		if dev := deviation(t, s, c.auto); dev > c.dev {
			t.Errorf("%s: dev %g at the defaults, want at most %g", c.auto.Name(), dev, c.dev)
		}
		if dev := deviation(t, s, c.given); dev < c.before {
			t.Errorf("%s: dev %g with γ given, which is said to be at least %g; the comparison shows nothing", c.auto.Name(), dev, c.before)
		}
	}
}

// New samples are placed where the embedding of the sheet has them: nearer by automatic
// weights than by those of γ = 0.001, which are drawn towards the mean of the neighbours.
func TestNewSamplesOfDenseSheets(t *testing.T) {
	s := generate(t, "swiss-roll", 12000, 1, "params=isometric")
	const train = 10000
	x := mat.DenseCopyOf(s.X.Slice(0, train, 0, 3))
	deviationOf := func(m Method) float64 {
		r := embed(t, x, m, Options{})
		model := must(r.Model())(t)
		y := transformed(t, model, s.X.Slice(train, 12000, 0, 3), Options{})
		dev := deviationOf(t, s.Params.Slice(train, 12000, 0, 2), y)
		return dev
	}
	auto, given := deviationOf(MLLE{}), deviationOf(MLLE{Gamma: 1e-3})
	if auto > 2e-3 || auto > given {
		t.Errorf("dev of new samples %g with γ auto, %g with γ = 0.001", auto, given)
	}
}

// The word auto is a value like others of γ: as text, in JSON and in the results.
func TestAutomaticGammaByWord(t *testing.T) {
	m := &LLE{Gamma: 0.5}
	if err := Set(m, "gamma", "auto"); err != nil || m.Gamma != 0 {
		t.Errorf("gamma is %v after auto, %v", m.Gamma, err)
	}
	if err := SetJSON(m, []byte(`{"gamma": 1e-4}`)); err != nil || Values(m)["gamma"] != 1e-4 {
		t.Errorf("gamma is %v, %v", Values(m)["gamma"], err)
	}
	if err := SetJSON(m, []byte(`{"gamma": "auto"}`)); err != nil || Values(m)["gamma"] != "auto" {
		t.Errorf("gamma is %v, %v", Values(m)["gamma"], err)
	}
	for _, p := range Parameters(m) {
		if p.Key == "gamma" && (p.Default != "auto" || p.Type != "number") {
			t.Errorf("gamma is described as %+v", p)
		}
	}
	r := embed(t, generate(t, "swiss-roll", 300, 1).X, NEML{}, Options{})
	if text, err := json.Marshal(r.Params["gamma"]); err != nil || string(text) != `"auto"` {
		t.Errorf("params say gamma is %s", text)
	}
	if _, found := r.Details["gamma"].(float64); !found {
		t.Errorf("details %v lack the γ that was taken", r.Details)
	}
}
