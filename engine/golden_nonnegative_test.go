package engine

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/golden"
	"github.com/orthant-go/orthant/solvers"
)

// nonnegativeCase is one case of the golden file; which fields it has depends on
// its name.
type nonnegativeCase struct {
	Name   string
	Tol    float64
	Inputs struct {
		X, U0, H0, C, U     [][]float64
		S0                  []float64
		K                   int
		Reg                 float64
		Kind                string
		Shift, Sigma, Alpha float64
	}
	Expect struct {
		C, M, Q, K, W, R [][]float64
		Degree           []float64
		Iterates         map[string]struct {
			U, H                        [][]float64
			S                           []float64
			Trace, Orth, Penalised, Obj *float64
		}
	}
}

func flat(rows [][]float64) []float64 { return matrix(rows).RawMatrix().Data }

// alignedFor takes a method's steps up to its alignment.
func alignedFor(t *testing.T, x *mat.Dense, m Method) *alignment {
	t.Helper()
	resolvedMethod, err := resolved(m, x.RawMatrix().Rows, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	p := testProblem(x, nil)
	p.options, _ = Options{}.withDefaults()
	p.dim = 2
	s := resolvedMethod.(embedder).steps()
	if s.neighbors != nil {
		if p.graph, err = s.neighbors.find(p); err != nil {
			t.Fatal(err)
		}
	}
	a, err := s.align(p, s.patch)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The iterates of every update on every problem, with the matrix that the
// method's own alignment gives.
func TestGoldenNonnegative(t *testing.T) {
	golden.Cases(t, "nonnegative-embeddings", func(t *testing.T, raw json.RawMessage) {
		var named struct{ Name string }
		decode(t, raw, &named)
		if named.Name == "baselines" {
			return // the signed methods have a test of their own
		}
		var c nonnegativeCase
		decode(t, raw, &c)
		if c.Name == "round" {
			goldenRound(t, c)
			return
		}
		if len(c.Expect.Iterates) == 0 {
			t.Fatal("a case without iterates: nothing tests it")
		}
		x := mat.DenseCopyOf(matrix(c.Inputs.X).T())
		// Every operator is used up by the iteration that it serves.
		operator, compare := goldenOperator(t, c, x)
		compare(t)
		for text, want := range c.Expect.Iterates {
			iterations, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			o := solvers.Multiplicative{Update: solvers.UpdatePaper, Iterations: iterations, Alpha: c.Inputs.Alpha}
			if strings.HasSuffix(c.Name, "penalty") {
				o.Update = solvers.UpdatePenalty
			}
			var r *solvers.Nonnegative
			state := want.U
			if c.Inputs.H0 != nil {
				square := squareOf(alignedFor(t, x, NMMS{}))
				state = want.H
				r, err = solvers.FitNMMS(context.Background(), operator(t), square, 2, flat(c.Inputs.H0), c.Inputs.S0, o)
			} else {
				r, err = solvers.Maximize(context.Background(), operator(t), 2, flat(c.Inputs.U0), o)
			}
			if err != nil {
				t.Fatal(err)
			}
			last, orth := r.Objective[iterations], r.Orthogonality[iterations]
			expectClose(t, text+": state", r.U, flat(state), c.Tol)
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
func goldenOperator(t *testing.T, c nonnegativeCase, x *mat.Dense) (func(*testing.T) solvers.Signed, func(*testing.T)) {
	method, update, _ := strings.Cut(c.Name, "-")
	k := c.Inputs.K
	var m Method
	var want [][]float64
	switch method {
	case "npca":
		m, want = NPCA{}, c.Expect.C
	case "nle":
		m, want = NLE{Neighbors: k, Weights: c.Inputs.Kind}, c.Expect.M
	case "nlle":
		m, want = NLLE{Neighbors: k, Gamma: c.Inputs.Reg}, c.Expect.M
	case "nonpp":
		m, want = NONPP{Neighbors: k, Gamma: c.Inputs.Reg}, c.Expect.Q
	case "nolpp":
		m, want = NOLPP{Neighbors: k, Weights: c.Inputs.Kind}, c.Expect.Q
	case "nmms":
		m, want = NMMS{}, c.Expect.K
	default:
		t.Fatalf("unknown method in case %q: nothing tests it", c.Name)
	}
	sigma, negated := c.Inputs.Sigma, method != "npca" && method != "nmms"
	if !negated {
		sigma = c.Inputs.Shift
	}
	if update == "printed" {
		sigma = 0
	}
	operator := func(t *testing.T) solvers.Signed {
		a := alignedFor(t, x, m)
		var s solvers.Signed
		var err error
		if a.dense != nil {
			s, err = solvers.SignedDense(a.dense.order, a.dense.q, negated, sigma)
		} else {
			s, err = solvers.SignedSparse(a.phi, negated, sigma)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return operator, func(t *testing.T) {
		if want == nil {
			return
		}
		a := alignedFor(t, x, m)
		got := []float64(nil)
		if a.dense != nil {
			got = a.dense.q
		} else {
			got = a.phi.Dense().RawMatrix().Data
		}
		expectClose(t, "the matrix", got, flat(want), c.Tol)
		for i, d := range c.Expect.Degree {
			expectClose(t, "degree", []float64{1 / (a.scale[i] * a.scale[i])}, []float64{d}, c.Tol)
		}
	}
}

func squareOf(a *alignment) float64 {
	var s float64
	for _, v := range a.dense.q {
		s += v * v
	}
	return s
}

func goldenRound(t *testing.T, c nonnegativeCase) {
	n, p := len(c.Inputs.U), len(c.Inputs.U[0])
	s, err := solvers.SignedDense(n, flat(c.Inputs.C), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := solvers.Round(context.Background(), s, p, flat(c.Inputs.U), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	expectClose(t, "rounded", r.U, flat(c.Expect.R), c.Tol)
}
