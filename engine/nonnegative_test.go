package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

func zero() *float64 { return new(float64) }

// withKeys sets parameters of a method by their keys.
func withKeys(t *testing.T, m Method, pairs ...string) Method {
	t.Helper()
	fresh := must(New(m.Name()))(t)
	for key, v := range Values(m) {
		if err := Set(fresh, key, fmt.Sprint(v)); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := Set(fresh, pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return fresh
}

// factorOf is the nonnegative factor behind a result: the projection of a linear
// method, the coordinates of another.
func factorOf(r *Result) *mat.Dense {
	if r.extension.Kind == "linear" {
		return r.extension.Arrays["projection"]
	}
	return r.Y
}

func TestNonnegativeResults(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	each(t, nonnegativeTrials(t, "60"), nil, func(t *testing.T, m Method) {
		for _, update := range []string{"gradient", "paper", "penalty"} {
			r := embed(t, x, withKeys(t, m, "update", update), Options{})
			for _, v := range factorOf(r).RawMatrix().Data {
				if !(v >= 0) || math.IsInf(v, 0) {
					t.Fatalf("%s, %s: the factor holds %v", m.Name(), update, v)
				}
			}
			if len(r.Objective) != r.Iterations+1 {
				t.Errorf("%s: %d values of the objective for %d iterations", update, len(r.Objective), r.Iterations)
			}
			if r.Iterations > 60 || r.Iterations < 1 {
				t.Errorf("%s: %d iterations", update, r.Iterations)
			}
			if !(r.Orthogonality >= 0) {
				t.Errorf("%s: orthogonality %g", update, r.Orthogonality)
			}
			if r.Values != nil || !math.IsNaN(r.Next) {
				t.Errorf("%s: eigenvalues %v, then %v", m.Name(), r.Values, r.Next)
			}
			if r.Seconds["solve"] <= 0 {
				t.Errorf("%s: no time for the solve", m.Name())
			}
		}
	})
}

func TestNonnegativeSameBitsForAnyThreads(t *testing.T) {
	x := generate(t, "swiss-roll", 1200, 1).X
	each(t, nonnegativeTrials(t, "20"), nil, func(t *testing.T, m Method) {
		var first *Result
		for _, threads := range []int{1, 2, 3} {
			r := embed(t, x, withKeys(t, m, "round", "true"), Options{Threads: threads})
			if first == nil {
				first = r
			}
			if !slices.Equal(r.Y.RawMatrix().Data, first.Y.RawMatrix().Data) {
				t.Errorf("%d threads change bits of the embedding", threads)
			}
			if !slices.Equal(r.Objective, first.Objective) {
				t.Errorf("%d threads change bits of the objective", threads)
			}
		}
	})
}

// Rounded factors are feasible, and feasible factors are no better than the signed
// optimum: the sum of the smallest (or largest) eigenvalues.
func TestRoundedWithinTheSignedBound(t *testing.T) {
	x := generate(t, "swiss-roll-3d", 240, 1).X
	if _, m := x.Dims(); m < 3 {
		t.Fatalf("%d columns", m)
	}
	each(t, nonnegativeTrials(t, "200"), nil, func(t *testing.T, m Method) {
		r := embed(t, x, withKeys(t, m, "round", "true"), Options{})
		u := factorOf(r)
		rows, _ := u.Dims()
		for i := range rows {
			if row := u.RawRowView(i); row[0] != 0 && row[1] != 0 {
				t.Fatalf("%s: row %d is %g", m.Name(), i, row)
			}
		}
		if r.Orthogonality > 1e-12 {
			t.Errorf("%s: orthogonality %g", m.Name(), r.Orthogonality)
		}
		a := alignedFor(t, x, m)
		if m.Name() == "nmms" {
			return // no trace
		}
		order := a.order
		matrix, values := slices.Clone(a.matrix()), make([]float64, order)
		if err := blas.MustSelect("").SymEig(order, matrix, order, values, new(blas.Work)); err != nil {
			t.Fatal(err)
		}
		got := r.Details["rounded_objective"].(float64)
		slack := 1e-9 * values[order-1]
		if best := values[0] + values[1]; m.Name() != "npca" && got < best-slack {
			t.Errorf("%s: %g is below the bound %g", m.Name(), got, best)
		}
		if best := values[order-1] + values[order-2]; m.Name() == "npca" && got > best+slack {
			t.Errorf("%s: %g is above the bound %g", m.Name(), got, best)
		}
	})
}

func TestPermutingSamplesPermutesRows(t *testing.T) {
	const n = 150
	x := generate(t, "swiss-roll", n, 1).X
	start, turned, back := mat.NewDense(n, 2, nil), mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	blas.NewStream(7).Uniforms(start.RawMatrix().Data)
	turnedStart := mat.NewDense(n, 2, nil)
	for i := range n {
		turned.SetRow(n-1-i, x.RawRowView(i))
		turnedStart.SetRow(n-1-i, start.RawRowView(i))
	}
	for _, m := range []Method{NLE{Update: "paper", Iterations: 40}, NLLE{Update: "paper", Iterations: 40}, NMMS{Update: "penalty", Iterations: 40}} {
		t.Run(m.Name(), func(t *testing.T) {
			r := embed(t, x, m, Options{Init: start})
			q := embed(t, turned, m, Options{Init: turnedStart})
			for i := range n {
				back.SetRow(i, q.Y.RawRowView(n-1-i))
			}
			// Rounding in the matrix, and σ from a Lanczos run that began elsewhere.
			tol := 1e-9
			if m.Name() == "nlle" {
				tol = 1e-2
			}
			if d := farthest(r.Y, back); d > tol {
				t.Errorf("%s: permutation moves the embedding by %g", m.Name(), d)
			}
		})
	}
}

// The paper's rule does not feel the scale of C; scaling the data scales it.
func TestScalingDataLeavesIterates(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	twice := mat.DenseCopyOf(x)
	twice.Scale(2, twice)
	for _, m := range []Method{NPCA{Update: "paper", Iterations: 60}, NONPP{Update: "paper", Iterations: 60}, NOLPP{Update: "paper", Iterations: 60}} {
		t.Run(m.Name(), func(t *testing.T) {
			a, b := embed(t, x, m, Options{}), embed(t, twice, m, Options{})
			if d := farthest(factorOf(a), factorOf(b)); d > 1e-9 {
				t.Errorf("%s: scaling the data moves the projection by %g", m.Name(), d)
			}
		})
	}
}
