package nmf

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// goldenCase is a case of rnpa.json, in the paper's orientation: X m × N, W m × r,
// H r × N, the transposes of ours.
type goldenCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		X, W, W0, H0, L [][]float64
		Lam             float64
		Theta, Sigma2   float64
		Refresh         bool
		R, Iters        int
	}
	Expect struct {
		Iterates map[string]goldenState
		Initial  *goldenState
		S, W, H  [][]float64
		Plain    [][]float64
		Robust   [][]float64
	}
}

type goldenState struct {
	W, H                   [][]float64
	Obj, Sigma2, J, F, Rel float64
	Reg                    float64
}

// transposedRows is a matrix given by rows as the flat row-major transpose.
func transposedRows(rows [][]float64) (n, m int, flat []float64) {
	return len(rows[0]), len(rows), golden.ColumnMajor(rows)
}

// goldenOptions says how a case is run; nil where the case is of another kind.
func goldenOptions(kind string, c goldenCase) *Options {
	o := &Options{Normalize: Never, Init: Given, TraceEvery: 1}
	switch kind {
	case "nmf-fro":
	case "nmf-kl", "npaf-kl":
		o.Loss = KL
	case "npaf-fro":
	case "hals":
		o.Solver, o.Sweeps = HALS, 1
	case "l21":
		o.Loss = L21
	case "gnmf":
	case "cim-adaptive", "kgnmf-adaptive", "cim-fixed", "kgnmf-fixed":
		o.Loss = Correntropy
		o.Sigma.Theta, o.Sigma.Fixed = c.Inputs.Theta, c.Inputs.Sigma2
		if c.Inputs.Refresh {
			o.Schedule = Refresh
		}
	default:
		return nil
	}
	return o
}

func TestGoldenNMF(t *testing.T) {
	golden.Cases(t, "rnpa", func(t *testing.T, one json.RawMessage) {
		var c goldenCase
		fixEmptyL(&one)
		must.Do(t, json.Unmarshal(one, &c))
		kind := golden.Kind(t, "rnpa", one)
		switch kind {
		case "nndsvd-zero", "nndsvd-mean":
			goldenNNDSVD(t, kind, c)
			return
		case "encode":
			goldenEncode(t, c)
			return
		}
		o := goldenOptions(kind, c)
		if o == nil {
			t.Fatalf("nothing here runs the case %s", c.Name)
		}
		goldenIterates(t, c, *o)
	})
}

// fixEmptyL drops an L without rows, which the cases without a graph have in
// another shape.
func fixEmptyL(one *json.RawMessage) {
	var raw map[string]json.RawMessage
	if json.Unmarshal(*one, &raw) != nil {
		return
	}
	var inputs map[string]json.RawMessage
	if json.Unmarshal(raw["inputs"], &inputs) != nil {
		return
	}
	var rows [][]float64
	if json.Unmarshal(inputs["L"], &rows) != nil || len(rows) == 0 {
		delete(inputs, "L")
	}
	raw["inputs"], _ = json.Marshal(inputs)
	*one, _ = json.Marshal(raw)
}

func goldenIterates(t *testing.T, c goldenCase, o Options) {
	if len(c.Expect.Iterates) == 0 {
		t.Fatal("a case without iterates: nothing tests it")
	}
	n, m, x := transposedRows(c.Inputs.X)
	_, r, w := transposedRows(c.Inputs.H0)
	_, _, h := transposedRows(c.Inputs.W0)
	o.Rank, o.W, o.H, o.Lambda = r, w, h, c.Inputs.Lam
	l := c.Inputs.L
	if c.Expect.S != nil {
		l = laplacian(c.Expect.S)
	}
	graphs := []Graph{{}}
	if l != nil {
		_, _, dense := transposedRows(l)
		graphs = []Graph{{Dense: dense}, {Sparse: compressed(t, n, n, dense)}}
	}
	for at, want := range c.Expect.Iterates {
		var err error
		if o.Iterations, err = strconv.Atoi(at); err != nil {
			t.Fatal(err)
		}
		for _, graph := range graphs {
			o.Graph = graph
			got := must.Get(Factorize(context.Background(), Dense(n, m, x), o))(t)
			golden.Expect(t, "after "+at+", the paper's H", got.W, golden.ColumnMajor(want.H), c.Tol)
			golden.Expect(t, "after "+at+", the paper's W", got.H, golden.ColumnMajor(want.W), c.Tol)
			last := got.Trace[len(got.Trace)-1]
			if o.Loss.Scaled() {
				comparePoint(t, last, want, c.Tol)
				if c.Expect.Initial != nil {
					comparePoint(t, got.Trace[0], *c.Expect.Initial, c.Tol)
				}
			} else if !golden.Close(last.Objective, want.Obj, c.Tol) {
				t.Errorf("after %s: objective %v, want %v", at, last.Objective, want.Obj)
			}
		}
	}
}

func comparePoint(t *testing.T, got Point, want goldenState, tol float64) {
	t.Helper()
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"J", got.Objective, want.J}, {"F", got.Surrogate, want.F}, {"σ²", got.Sigma2, want.Sigma2},
		{"residual", got.Residual, want.Rel}, {"regulariser", got.Regularizer, want.Reg},
	} {
		if !golden.Close(v.got, v.want, tol) {
			t.Errorf("after %d: %s is %v, want %v", got.Iteration, v.name, v.got, v.want)
		}
	}
}

// laplacian is D − S.
func laplacian(s [][]float64) [][]float64 {
	l := make([][]float64, len(s))
	for i, row := range s {
		l[i] = make([]float64, len(row))
		for j, v := range row {
			l[i][j] -= v
			l[i][i] += v
		}
	}
	return l
}

func goldenNNDSVD(t *testing.T, kind string, c goldenCase) {
	n, m, x := transposedRows(c.Inputs.X)
	o := Options{Rank: c.Inputs.R, Init: NNDSVD, Solver: HALS}
	if kind == "nndsvd-mean" {
		o.Init = NNDSVDMean
	}
	d := Dense(n, m, x)
	totals := must.Get(d.inspect())(t)
	o = must.Get(o.withDefaults(d))(t)
	f := newFactorization(d, o, totals)
	must.Do(t, f.start(context.Background(), o, &Result{}))
	golden.Expect(t, "the paper's H", f.w, golden.ColumnMajor(c.Expect.H), c.Tol)
	golden.Expect(t, "the paper's W", f.h, golden.ColumnMajor(c.Expect.W), c.Tol)
}

func goldenEncode(t *testing.T, c goldenCase) {
	n, m, x := transposedRows(c.Inputs.X)
	_, _, h := transposedRows(c.Inputs.W)
	for _, v := range []struct {
		loss *Loss
		want [][]float64
	}{{Frobenius, c.Expect.Plain}, {Correntropy, c.Expect.Robust}} {
		got := must.Get(Encode(context.Background(), Dense(n, m, x), h, Options{Loss: v.loss, Iterations: c.Inputs.Iters}))(t)
		golden.Expect(t, v.loss.String(), got, golden.ColumnMajor(v.want), c.Tol)
	}
}
