package engine

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// nonnegativeCase is one case of the golden file; which fields it has depends on
// its name.
type nonnegativeCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		X, U0, H0           [][]float64
		S0                  []float64
		K                   int
		Reg                 float64
		Kind                string
		Shift, Sigma, Alpha float64
	}
	Expect struct {
		C, M, Q, K, W [][]float64
		Degree        []float64
		Iterates      map[string]struct {
			U, H                        [][]float64
			S                           []float64
			Trace, Orth, Penalised, Obj *float64
		}
	}
}

// The iterates of every update on every problem, with the matrix that the
// method's own alignment gives.
func TestGoldenNonnegative(t *testing.T) {
	golden.Cases(t, "nonnegative-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c nonnegativeCase
		decode(t, raw, &c)
		if len(c.Expect.Iterates) == 0 {
			t.Fatal("a case without iterates: nothing tests it")
		}
		x := mat.DenseCopyOf(matrix(c.Inputs.X).T())
		// Every operator is used up by the iteration that it serves.
		operator, compare := goldenOperator(t, golden.Kind(t, "nonnegative-embeddings", raw), c, x)
		compare(t)
		for text, want := range c.Expect.Iterates {
			iterations := must(strconv.Atoi(text))(t)
			o := nonnegative.Multiplicative{Update: nonnegative.UpdatePaper, Iterations: iterations, Alpha: c.Inputs.Alpha}
			if _, update, _ := strings.Cut(c.Name, "-"); strings.HasPrefix(update, "penalty") {
				o.Update = nonnegative.UpdatePenalty
			}
			var r *nonnegative.Nonnegative
			var err error
			state := want.U
			if c.Inputs.H0 != nil {
				square := alignedFor(t, x, NMMS{}).square()
				state = want.H
				r, err = nonnegative.FitNMMS(context.Background(), operator(t), square, len(c.Inputs.H0[0]), golden.Flat(c.Inputs.H0), c.Inputs.S0, o)
			} else {
				r, err = nonnegative.Maximize(context.Background(), operator(t), len(c.Inputs.U0[0]), golden.Flat(c.Inputs.U0), o)
			}
			if err != nil {
				t.Fatal(err)
			}
			last, orth := r.Objective[iterations], r.Orthogonality[iterations]
			expectClose(t, text+": state", r.U, golden.Flat(state), c.Tol)
			expectClose(t, text+": orthogonality", []float64{orth}, []float64{*want.Orth}, c.Tol)
			if want.Trace != nil {
				expectClose(t, text+": trace", []float64{last}, []float64{*want.Trace}, c.Tol)
			}
			if want.Penalised != nil {
				expectClose(t, text+": penalised", []float64{-last + c.Inputs.Alpha/2*orth*orth}, []float64{*want.Penalised}, c.Tol)
			}
			if want.Obj != nil {
				expectClose(t, text+": objective", []float64{last}, []float64{*want.Obj}, c.Tol)
				expectClose(t, text+": weights", r.S, want.S, c.Tol)
			}
		}
	})
}

// goldenOperator returns a maker of the case's operator, and a comparison of its
// matrix with the expected one.
func goldenOperator(t *testing.T, method string, c nonnegativeCase, x *mat.Dense) (func(*testing.T) nonnegative.Signed, func(*testing.T)) {
	_, update, _ := strings.Cut(c.Name, "-")
	k := c.Inputs.K
	var m Method
	var want [][]float64
	switch method {
	case "npca":
		m, want = NPCA{}, c.Expect.C
	case "nle":
		m, want = NLE{Neighbors: k, Weights: c.Inputs.Kind}, c.Expect.M
	case "nlle":
		m, want = NLLE{Neighbors: k, Gamma: orPaperGamma(c.Inputs.Reg)}, c.Expect.M
	case "nonpp":
		m, want = NONPP{Neighbors: k, Gamma: orPaperGamma(c.Inputs.Reg)}, c.Expect.Q
	case "nolpp":
		m, want = NOLPP{Neighbors: k, Weights: c.Inputs.Kind}, c.Expect.Q
	case "nmms":
		m, want = NMMS{}, c.Expect.K
	default:
		t.Fatalf("unknown method %q: nothing tests it", method)
	}
	sigma, negated := c.Inputs.Sigma, method != "npca" && method != "nmms"
	if !negated {
		sigma = c.Inputs.Shift
	}
	if strings.HasPrefix(update, "printed") {
		sigma = 0
	}
	operator := func(t *testing.T) nonnegative.Signed {
		s := must(alignedFor(t, x, m).operator(negated, sigma))(t)
		return s
	}
	return operator, func(t *testing.T) {
		a := alignedFor(t, x, m)
		got := a.matrix()
		if want != nil {
			expectClose(t, "the matrix", got, golden.Flat(want), c.Tol)
		}
		for i, d := range c.Expect.Degree {
			expectClose(t, "degree", []float64{1 / (a.scale[i] * a.scale[i])}, []float64{d}, c.Tol)
		}
		if c.Expect.W != nil {
			expectClose(t, "the matrix of W", got, ofWeights(method, c), c.Tol)
		}
	}
}

// ofWeights is the matrix of a method that the expected weights W give:
// (I − W)ᵀ(I − W), or I − D^−½WD^−½ of weights of edges.
func ofWeights(method string, c nonnegativeCase) []float64 {
	w := matrix(c.Expect.W)
	n, _ := w.Dims()
	left := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			v := -w.At(i, j)
			if method == "nle" {
				v /= math.Sqrt(c.Expect.Degree[i] * c.Expect.Degree[j])
			}
			if i == j {
				v++
			}
			left.Set(i, j, v)
		}
	}
	if method == "nle" {
		return left.RawMatrix().Data
	}
	var product mat.Dense
	product.Mul(left.T(), left)
	return product.RawMatrix().Data
}
