package engine

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/param"
)

// factorCase is a run of rnpa.json, in the paper's orientation: X m × N, W m × r,
// H r × N.
type factorCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		X, W0, H0     [][]float64
		Lam           float64
		K             int
		Theta, Sigma2 float64
		Refresh       bool
	}
	Expect struct {
		Iterates map[string]struct {
			W, H              [][]float64
			Obj, Sigma2, J, F *float64
		}
	}
}

// method is the one that runs a case of the kind, for this many iterations.
func (c factorCase) method(kind string, iterations int) Method {
	schedule := map[bool]string{true: "refresh", false: "paper"}[c.Inputs.Refresh]
	paper := Protocol{Protocol: "paper"}
	switch kind {
	case "nmf-fro":
		return NMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "hals":
		return NMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}, LeastSquares: LeastSquares{Solver: "hals", Sweeps: 1}}
	case "nmf-kl":
		return NMFKL{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "l21":
		return L21NMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "gnmf":
		return GNMF{Protocol: paper, Neighbors: c.Inputs.K, Lambda: &c.Inputs.Lam, Updates: Updates{Iterations: iterations, Normalize: "none"}}
	case "cim-adaptive":
		return CIMNMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}, Correntropy: Correntropy{Theta: c.Inputs.Theta, Schedule: schedule}}
	case "cim-fixed":
		return CIMNMF{Protocol: paper, Updates: Updates{Iterations: iterations, Normalize: "none"}, Correntropy: Correntropy{Sigma2: &c.Inputs.Sigma2, Schedule: schedule}}
	}
	return nil
}

func TestGoldenFactorizations(t *testing.T) {
	golden.Cases(t, "rnpa", func(t *testing.T, raw json.RawMessage) {
		var c factorCase
		decode(t, raw, &c)
		kind := golden.Kind(t, "rnpa", raw)
		if c.method(kind, 1) == nil || len(c.Expect.Iterates) == 0 {
			t.Fatalf("no method runs the kind %q, or it has no iterates: nothing tests it", kind)
		}
		x, w, h := transposed(c.Inputs.X), transposed(c.Inputs.H0), transposed(c.Inputs.W0)
		for at, want := range c.Expect.Iterates {
			iterations := must(strconv.Atoi(at))(t)
			r := factorized(t, x, c.method(kind, iterations), FactorizeOptions{Rank: len(c.Inputs.H0), InitW: w, InitH: h})
			expectClose(t, "after "+at+", H", r.W.RawMatrix().Data, transposed(want.H).RawMatrix().Data, c.Tol)
			expectClose(t, "after "+at+", W", r.H.RawMatrix().Data, transposed(want.W).RawMatrix().Data, c.Tol)
			last := r.Trace[len(r.Trace)-1]
			for _, v := range []struct {
				name string
				got  float64
				want *float64
			}{{"objective", last.Objective, want.Obj}, {"J", last.Objective, want.J}, {"F", last.Surrogate, want.F}, {"σ²", last.Sigma2, want.Sigma2}} {
				if v.want != nil {
					expectClose(t, "after "+at+", "+v.name, []float64{v.got}, []float64{*v.want}, c.Tol)
				}
			}
			// Normalised at the end, WH stays.
			var left, right mat.Dense
			left.Mul(r.W, r.H)
			end := factorized(t, x, normalisedAtEnd(t, x.RawMatrix().Rows, c.method(kind, iterations)), FactorizeOptions{Rank: len(c.Inputs.H0), InitW: w, InitH: h})
			right.Mul(end.W, end.H)
			if !mat.EqualApprox(&left, &right, 1e-12) || math.Abs(mat.Norm(end.H.RowView(0), 2)-1) > 1e-12 {
				t.Errorf("after %s: WH is another after it was normalised", at)
			}
		}
	})
}

// normalisedAtEnd is the same method for this many samples, with that setting.
func normalisedAtEnd(t *testing.T, samples int, m Method) Method {
	t.Helper()
	copied := must(param.Resolve(m.Name(), m, samples, func(string, ...any) {}))(t)
	if err := Set(copied, "normalise", "end"); err != nil {
		t.Fatal(err)
	}
	return copied
}
