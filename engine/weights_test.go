package engine

import (
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"
)

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
