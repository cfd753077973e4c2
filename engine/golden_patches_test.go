package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/neighbors"
)

func TestGoldenPatches(t *testing.T) {
	golden.Cases(t, "local-patches", func(t *testing.T, raw json.RawMessage) {
		var kind struct{ Kind string }
		decode(t, raw, &kind)
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
			decode(t, raw, &c)
			if got := midValue(c.Rho); got != c.Expect.Eta {
				t.Errorf("mid-value %g, want %g", got, c.Expect.Eta)
			}
		default:
			t.Fatalf("unknown kind %q: nothing tests it", kind.Kind)
		}
	})
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
	decode(t, raw, &c)
	x := pointsOf(matrix(c.X))
	g, err := neighbors.Exact(context.Background(), x, c.K, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solver := newWeightSolver(blas.MustSelect("auto"), c.K, c.Gamma)
	d := make([]float64, c.K*x.M)
	for i := range x.N {
		differences(x, i, g.Of(i), d)
		row := make([]float64, x.N)
		for a, w := range solver.of(d, c.K, x.M) {
			row[g.Of(i)[a]] = w
		}
		expectClose(t, fmt.Sprintf("weights of point %d", i), row, c.Expect.Weights[i], c.Tol)
		if c.Expect.Published != nil { // printed with four decimals
			expectClose(t, fmt.Sprintf("published weights of point %d", i), row, c.Expect.Published[i], 1e-4)
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
	decode(t, raw, &c)
	g := matrix(c.Differences)
	k, m := g.Dims()
	data := g.RawMatrix().Data
	kernels := blas.MustSelect("auto")
	spectrum := newLeftSpectrum(kernels, k)
	spectrum.of(data, k, m, 0)
	expectClose(t, "eigenvalues", spectrum.values, c.Expect.Eigenvalues, c.Tol)
	expectClose(t, "ρ", []float64{tailShare(spectrum.values, c.D)}, []float64{c.Expect.Rho}, c.Tol)
	expectClose(t, "w", newWeightSolver(kernels, k, c.Gamma).of(data, k, m), c.Expect.Weights, c.Tol)
	zero, one := 0.0, 1.0
	lambdas := map[string]*float64{"neml": nil, "mlle": &zero, "orthogonal": &one}
	for name, want := range c.Expect.Patch {
		lambda, known := lambdas[name]
		if !known {
			t.Errorf("unknown patch %q: nothing tests it", name)
			continue
		}
		calc := multipleWeights{dim: c.D, gamma: c.Gamma, lambda: lambda}.newCalculator(kernels, k)
		packed := make([]float64, (k+1)*(k+2)/2)
		calc.patch(data, k, m, c.S, packed)
		at := 0
		for a := range k + 1 {
			expectClose(t, fmt.Sprintf("%s patch, row %d", name, a), packed[at:at+a+1], want[a][:a+1], c.Tol)
			at += a + 1
		}
		expectClose(t, "α", []float64{calc.alpha}, []float64{c.Expect.Alpha}, c.Tol)
	}
}

func goldenSelection(t *testing.T, raw json.RawMessage) {
	var c struct {
		Eigenvalues []float64
		D           int
		Eta         float64
		Expect      struct{ S int }
	}
	decode(t, raw, &c)
	if got := weightCount(c.Eigenvalues, c.D, c.Eta); got != c.Expect.S {
		t.Errorf("s = %d, want %d", got, c.Expect.S)
	}
}
