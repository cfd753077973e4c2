package measures

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

type goldenCase struct {
	Kind, Name string
	Tol        float64

	Embedding     [][]float64
	Train, Test   [][]float64
	First, Second [][]int
	Predicted     []int64
	Scores        []float64
	Positive      []int

	Expect struct {
		Dev, Centred *float64
		Nalac        *float64
		SoftNalac    *float64 `json:"soft_nalac"`
		Rate, AUC    *float64
		FPR, TPR     []float64
		NN, NFL      []int64
	}
}

func TestGoldenMetrics(t *testing.T) {
	golden.Cases(t, "local-metrics", func(t *testing.T, raw json.RawMessage) {
		var c goldenCase
		must.Do(t, json.Unmarshal(raw, &c))
		check, known := goldenKinds[c.Kind]
		if !known {
			t.Fatalf("case %q has the unknown kind %q", c.Name, c.Kind)
		}
		check(t, c, raw)
	})
}

var goldenKinds = map[string]func(*testing.T, goldenCase, json.RawMessage){
	"dev": func(t *testing.T, c goldenCase, raw json.RawMessage) {
		var more struct{ Truth [][]float64 }
		decode(t, raw, &more)
		dev, centred := must.Two(Deviation(matrix(more.Truth), matrix(c.Embedding)))(t)
		same(t, "dev", dev, c.Expect.Dev, c.Tol)
		same(t, "centred", centred, c.Expect.Centred, c.Tol)
	},
	"nalac": func(t *testing.T, c goldenCase, _ json.RawMessage) {
		hard := must.Get(Nalac(c.First, c.Second))(t)
		soft := must.Get(SoftNalac(c.First, c.Second))(t)
		same(t, "nalac", hard, c.Expect.Nalac, c.Tol)
		same(t, "soft_nalac", soft, c.Expect.SoftNalac, c.Tol)
	},
	"misclassification": func(t *testing.T, c goldenCase, raw json.RawMessage) {
		var more struct{ Truth []int64 }
		decode(t, raw, &more)
		rate := must.Get(Misclassification(more.Truth, c.Predicted))(t)
		same(t, "rate", rate, c.Expect.Rate, c.Tol)
	},
	"roc": func(t *testing.T, c goldenCase, _ json.RawMessage) {
		positive := make([]bool, len(c.Positive))
		for i, p := range c.Positive {
			positive[i] = p == 1
		}
		curve := must.Get(ROC(c.Scores, positive))(t)
		same(t, "auc", curve.AUC, c.Expect.AUC, c.Tol)
		for what, pair := range map[string][2][]float64{"fpr": {curve.FPR, c.Expect.FPR}, "tpr": {curve.TPR, c.Expect.TPR}} {
			if !slices.EqualFunc(pair[0], pair[1], func(a, b float64) bool { return golden.Close(a, b, c.Tol) }) {
				t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
			}
		}
	},
	"classify": func(t *testing.T, c goldenCase, raw json.RawMessage) {
		var more struct {
			Labels []int64 `json:"train_labels"`
		}
		decode(t, raw, &more)
		nn := must.Get(ClassifyNN(context.Background(), matrix(c.Train), more.Labels, matrix(c.Test), Options{}))(t)
		nfl := must.Get(ClassifyNFL(context.Background(), matrix(c.Train), more.Labels, matrix(c.Test), Options{}))(t)
		if !slices.Equal(nn, c.Expect.NN) {
			t.Errorf("nn: %v, want %v", nn, c.Expect.NN)
		}
		if !slices.Equal(nfl, c.Expect.NFL) {
			t.Errorf("nfl: %v, want %v", nfl, c.Expect.NFL)
		}
	},
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	must.Do(t, json.Unmarshal(raw, into))
}

func same(t *testing.T, what string, got float64, want *float64, tol float64) {
	t.Helper()
	if want == nil {
		t.Errorf("%s: nothing expected", what)
	} else if !golden.Close(got, *want, tol) {
		t.Errorf("%s: %v, want %v", what, got, *want)
	}
}

func matrix(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}
