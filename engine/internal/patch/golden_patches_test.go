package patch

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

func TestGoldenPatches(t *testing.T) {
	golden.Cases(t, "local-patches", func(t *testing.T, raw json.RawMessage) {
		var kind struct{ Kind string }
		golden.Decode(t, raw, &kind)
		switch kind.Kind {
		case "weights":
			goldenWeights(t, raw)
		case "patch":
			goldenPatch(t, raw)
		case "selection":
			goldenSelection(t, raw)
		case "mid-value":
			var c struct {
				Rho    []float64
				Expect struct{ Eta float64 }
			}
			golden.Decode(t, raw, &c)
			if got := orderstat.LowerMedian(c.Rho); got != c.Expect.Eta {
				t.Errorf("mid-value %g, want %g", got, c.Expect.Eta)
			}
		default:
			t.Fatalf("unknown kind %q: nothing tests it", kind.Kind)
		}
	})
}

// given returns the regularisation of a case; its default γ is that of the papers.
func given(gamma float64) Regularization {
	if gamma == 0 {
		gamma = PaperGamma
	}
	return Regularized(gamma, 0)
}

func goldenWeights(t *testing.T, raw json.RawMessage) {
	var c struct {
		X          [][]float64
		K          int
		Gamma, Tol float64
		Expect     struct {
			Weights   [][]float64 `json:"weights_columns"`
			Published [][]float64
		}
	}
	golden.Decode(t, raw, &c)
	x := steptest.Samples(c.X)
	g := must.Get(neighbors.Exact(t.Context(), x.Points(), c.K, neighbors.Options{}))(t)
	solver := NewWeightSolver(blas.MustSelect("auto"), c.K, given(c.Gamma))
	gathered := samples.NewGathered(x)
	for i := range x.N() {
		d, _ := gathered.Differences(i, g.Of(i))
		row := make([]float64, x.N())
		for a, w := range solver.Solve(d, c.K, x.M()) {
			row[g.Of(i)[a]] = w
		}
		golden.Expect(t, fmt.Sprintf("weights of point %d", i), row, c.Expect.Weights[i], c.Tol)
		if c.Expect.Published != nil { // printed with four decimals
			golden.Expect(t, fmt.Sprintf("published weights of point %d", i), row, c.Expect.Published[i], 1e-4)
		}
	}
}

func goldenPatch(t *testing.T, raw json.RawMessage) {
	var c struct {
		Differences [][]float64
		D, S        int
		Gamma, Tol  float64
		Expect      struct {
			Eigenvalues, Weights []float64
			Rho, Alpha           float64
			Patch                map[string][][]float64
		}
	}
	golden.Decode(t, raw, &c)
	k, m, data := len(c.Differences), len(c.Differences[0]), golden.Flat(c.Differences)
	kernels := blas.MustSelect("auto")
	spectrum := newLeftSpectrum(kernels, k)
	spectrum.analyze(data, k, m, 0)
	golden.Expect(t, "eigenvalues", spectrum.values, c.Expect.Eigenvalues, c.Tol)
	golden.Expect(t, "ρ", []float64{tailShare(spectrum.values, c.D)}, []float64{c.Expect.Rho}, c.Tol)
	golden.Expect(t, "w", NewWeightSolver(kernels, k, given(c.Gamma)).Solve(data, k, m), c.Expect.Weights, c.Tol)
	zero, one := 0.0, 1.0
	lambdas := map[string]*float64{"neml": nil, "mlle": &zero, "orthogonal": &one}
	for name, want := range c.Expect.Patch {
		lambda, known := lambdas[name]
		if !known {
			t.Errorf("unknown patch %q: nothing tests it", name)
			continue
		}
		calc := MultipleWeights{Dim: c.D, By: given(c.Gamma), Lambda: lambda}.newCalculator(kernels, k)
		packed := make([]float64, (k+1)*(k+2)/2)
		calc.patch(data, k, m, c.S, packed)
		at := 0
		for a := range k + 1 {
			golden.Expect(t, fmt.Sprintf("%s patch, row %d", name, a), packed[at:at+a+1], want[a][:a+1], c.Tol)
			at += a + 1
		}
		golden.Expect(t, "α", []float64{calc.alpha}, []float64{c.Expect.Alpha}, c.Tol)
	}
}

func goldenSelection(t *testing.T, raw json.RawMessage) {
	var c struct {
		Eigenvalues []float64
		D           int
		Eta         float64
		Expect      struct{ S int }
	}
	golden.Decode(t, raw, &c)
	if got := weightCount(c.Eigenvalues, c.D, c.Eta); got != c.Expect.S {
		t.Errorf("s = %d, want %d", got, c.Expect.S)
	}
}

// The number of weight vectors sᵢ that NEML uses at each sample, and the mixing parameter αᵢ. The
// coordinates show neither.
func TestGoldenWeightCounts(t *testing.T) {
	golden.Cases(t, "local-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			X      [][]float64
			K, D   int
			Expect []struct {
				Method string
				Params struct{ Gamma *float64 }
				Eta    *float64
				S      []int
				Alpha  []float64
			}
			Tol float64
		}
		golden.Decode(t, raw, &c)
		x := steptest.Samples(c.X)
		g := must.Get(neighbors.Exact(t.Context(), x.Points(), c.K, neighbors.Options{}))(t)
		lambda := must.Get(localSpectra(Local{Run: steptest.Run(t), X: x, Graph: g}))(t)
		for _, e := range c.Expect {
			if e.Eta == nil {
				continue
			}
			gamma := 1e-3 // the default of the methods
			if e.Params.Gamma != nil {
				gamma = *e.Params.Gamma
			}
			t.Run(fmt.Sprintf("%s γ=%g", e.Method, gamma), func(t *testing.T) {
				rule := MultipleWeights{Dim: c.D, By: given(gamma)}
				eta := rule.tolerance(Local{Graph: g}, lambda)
				golden.Expect(t, "η", []float64{eta}, []float64{*e.Eta}, c.Tol)
				k, m := g.MaxDegree(), x.M()
				calc := rule.newCalculator(blas.MustSelect("auto"), k)
				gathered, packed := samples.NewGathered(x), make([]float64, (k+1)*(k+2)/2)
				for i := range x.N() {
					d, _ := gathered.Differences(i, g.Of(i))
					s := weightCount(lambda[g.Ptr[i]:g.Ptr[i+1]], rule.Dim, eta)
					calc.patch(d, k, m, s, packed)
					if s != e.S[i] {
						t.Errorf("s of point %d is %d, want %d", i, s, e.S[i])
					}
					golden.Expect(t, fmt.Sprintf("α of point %d", i), []float64{calc.alpha}, []float64{e.Alpha[i]}, c.Tol)
				}
			})
		}
	})
}
