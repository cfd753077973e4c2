package library

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/metrics"
	"github.com/orthant-go/orthant/internal/must"
)

// measured carries an evaluation out.
func measured(metric, parameters string, q evaluation) (*made, error) {
	w, err := q.evaluate(metric, []byte(parameters))
	if err != nil {
		return nil, err
	}
	return carryOut(w).get()
}

// curve is samples on a curve with an embedding and two classes of them, which overlap.
func curve(n int) (x, y []float64, labels, predicted []int64) {
	for i := range n {
		t := float64(i) / float64(n)
		x = append(x, math.Cos(5*t), math.Sin(7*t), t*t)
		y = append(y, 0.1+t+0.05*math.Sin(float64(i*i)))
		labels, predicted = append(labels, int64(i%7/3)), append(predicted, int64(i%5))
	}
	return x, y, labels, predicted
}

// Every metric gives the value of the measure behind it.
func TestEvaluate(t *testing.T) {
	const n = 60
	x, y, labels, predicted := curve(n)
	given := evaluation{
		matrices: map[string]*view{"in": lentDense(x, n, 3), "embedding": lentDense(y, n, 1), "truth": lentDense(x, n, 3), "w": lentDense(y, n, 1), "h": lentDense([]float64{1, 2, 3}, 1, 3)},
		classes:  map[string][]int64{"labels": labels, "predicted": predicted},
	}
	X, Y, H := mat.NewDense(n, 3, x), mat.NewDense(n, 1, y), mat.NewDense(1, 3, []float64{1, 2, 3})
	o := measures.Options{}
	of := func(v float64, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	dev, centred, _ := measures.Deviation(X, Y)
	bad, _ := measures.NearestBadNeighbors(t.Context(), X, labels, measures.DefaultNeighbors(n), o)
	trial := measures.Trial{Splits: 3, Train: 0.4, Seed: 7}
	whole, _ := measures.HolisticErrors(t.Context(), Y, labels, trial, o, measures.NN)
	apart := must.Get(engine.SeparateErrors(t.Context(), X, labels, engine.LLE{Neighbors: 9, Gamma: 1e-2}, engine.Options{}, trial, measures.NFL))(t)
	for _, c := range []struct {
		metric, parameters string
		want               float64
	}{
		{"dev", "", dev},
		{"dev", `{"centred": true}`, centred},
		{"trustworthiness", "", of(measures.Trustworthiness(t.Context(), X, Y, 5, o))},
		{"continuity", `{"neighbors": 9}`, of(measures.Continuity(t.Context(), X, Y, 9, o))},
		{"mrre", `{"side": "data", "neighbors": 4}`, of(measures.MRREOfData(t.Context(), X, Y, 4, o))},
		{"lcmc", `{"threads": 1}`, of(measures.LCMC(t.Context(), X, Y, 5, o))},
		{"random-triplet", `{"seed": 7}`, of(measures.RandomTriplet(t.Context(), X, Y, 7, o))},
		{"centroid-triplet", "", of(measures.CentroidTriplet(t.Context(), X, Y, labels, 1, o))},
		{"distance-correlation", "", of(measures.DistanceCorrelation(t.Context(), X, Y, 1, o))},
		{"kl-divergence", `{"perplexity": 4.5}`, of(measures.KLDivergence(t.Context(), X, Y, 4.5, o))},
		{"procrustes", "", of(measures.Procrustes(X, Y))},
		{"acc", "", of(measures.Accuracy(labels, predicted))},
		{"nmi", `{"normalise": "geometric"}`, of(measures.NMI(labels, predicted, "geometric"))},
		{"bad-neighbors", "", bad.Neighbors},
		{"nn-error", `{"splits": 3, "train": 0.4, "seed": 7}`, whole[0].Mean()},
		{"nfl-error", `{"splits": 3, "train": 0.4, "seed": 7, "projection": "separate", "method": "lle", "neighbors": 9, "gamma": 0.01}`, apart[0].Mean()},
		{"reconstruction", "", of(measures.Reconstruction(t.Context(), X, Y, H, o))},
	} {
		m, err := measured(c.metric, c.parameters, given)
		if err != nil {
			t.Errorf("%s %s: %v", c.metric, c.parameters, err)
			continue
		}
		if v := m.numbers["value"]; v != c.want || math.IsNaN(v) {
			t.Errorf("%s %s: %v, want %v", c.metric, c.parameters, v, c.want)
		}
		if rates := m.arrays["rates"].numbers; strings.HasSuffix(c.metric, "-error") && (len(rates) != 3 || math.Abs(measures.Rates(rates).Mean()-c.want) > 0) {
			t.Errorf("%s: rates %v", c.metric, rates)
		}
		if _, err := json.Marshal(m.report()); err != nil {
			t.Errorf("%s: %v", c.metric, err)
		}
	}
	// The metric takes the inputs that it needs, and warns about the rest.
	if m, _ := measured("acc", `{"neighbors": 3}`, given); fmt.Sprint(m.report()["warnings"]) != "[acc does not use neighbors acc does not use x acc does not use embedding acc does not use truth acc does not use w acc does not use h]" {
		t.Error(m.report()["warnings"])
	}
	for _, name := range metrics.Names() { // with one coordinate and two classes
		few := evaluation{matrices: given.matrices, classes: map[string][]int64{"labels": make([]int64, n), "predicted": predicted}}
		for i, l := range labels {
			few.classes["labels"][i] = l / 2
		}
		if name == "centroid-triplet" { // of three at least
			continue
		}
		if m, err := measured(name, "", few); err != nil || math.IsNaN(m.numbers["value"]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows with gaps between them, and other types, are the same samples.
func TestEvaluateReadsAnyRows(t *testing.T) {
	const n = 40
	x, y, _, _ := curve(n)
	wide, narrow := make([]float64, n*5), make([]float32, n)
	for i := range n {
		copy(wide[5*i:], x[3*i:3*i+3])
		wide[5*i+3] = 99
		narrow[i] = float32(y[i])
		y[i] = float64(narrow[i])
	}
	gaps, single := viewing(wide, n, 3, 5, typeFloat64), viewing(narrow, n, 1, 1, typeFloat32)
	for _, metric := range []string{"nalac", "trustworthiness", "lcmc"} {
		want := must.Get(measured(metric, "", evaluation{matrices: map[string]*view{"in": lentDense(x, n, 3), "embedding": lentDense(y, n, 1)}}))(t)
		got, err := measured(metric, "", evaluation{matrices: map[string]*view{"in": &gaps, "embedding": &single}})
		if err != nil || got.numbers["value"] != want.numbers["value"] {
			t.Errorf("%s: %v (%v)", metric, got, err)
		}
	}
}

func TestEvaluateRefuses(t *testing.T) {
	const n = 30
	x, y, labels, predicted := curve(n)
	all := func() evaluation {
		return evaluation{matrices: map[string]*view{"in": lentDense(x, n, 3), "embedding": lentDense(y, n, 1)},
			classes: map[string][]int64{"labels": slices.Clone(labels), "predicted": slices.Clone(predicted)}}
	}
	for _, c := range []struct {
		metric, parameters string
		change             func(q evaluation)
		phrase             string
	}{
		{"trustworthyness", "", nil, `did you mean "trustworthiness"?`},
		{"dev", "", nil, "dev needs truth"},
		{"trustworthiness", "", func(q evaluation) { delete(q.matrices, "in") }, "trustworthiness needs x"},
		{"trustworthiness", "", func(q evaluation) { q.matrices["in"] = lentDense(x[:30], 10, 3) }, "embedding has 30 rows where x has 10"},
		{"trustworthiness", "", func(q evaluation) { q.matrices["in"].stride = 2 }, "x: its stride"},
		{"trustworthiness", `{"neighbors": 0}`, nil, "neighbors is 0"},
		{"trustworthiness", `{"neighbors": 20}`, nil, "20"},
		{"trustworthiness", `{"neighbours": 4}`, nil, `no setting "neighbours"`},
		{"mrre", `{"side": "both"}`, nil, `side is "both"`},
		{"mrre", `{"sides": "data"}`, nil, `did you mean "side"?`},
		{"acc", "", func(q evaluation) { q.classes["predicted"] = predicted[:9] }, "predicted has 9 rows where labels has 30"},
		{"roc-auc", "", nil, "labels holds 0, 1 and 2"},
		{"roc-auc", "", func(q evaluation) { q.matrices["embedding"] = lentDense(x, n, 3) }, "embedding has 3 columns"},
		{"nn-error", `{"splits": 0}`, nil, `splits is "0"`},
		{"nn-error", `{"projection": "separate"}`, nil, `"method" is missing`},
		{"nn-error", `{"projection": "separate", "method": "nelm"}`, nil, `did you mean "neml"?`},
		{"nn-error", `{"projection": "separate", "method": "lle", "eta": 1}`, nil, `no parameter "eta"`},
		{"acc", `{"threads": -1}`, nil, "threads"},
		{"acc", `[]`, nil, "no JSON object"},
	} {
		q := all()
		if c.change != nil {
			c.change(q)
		}
		if _, err := measured(c.metric, c.parameters, q); err == nil || statusOf(err) != statusInvalid || !strings.Contains(err.Error(), c.phrase) {
			t.Errorf("%s %s: %v, want %q", c.metric, c.parameters, err, c.phrase)
		}
	}
}
