package main

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

// A system of a graph that fills is solved without a factor, with a shift and without.
func TestSystemsThatFill(t *testing.T) {
	const n = sddm.ExpanderRows + 100
	s, list := blas.NewStream(4), make([]sparse.Triplet, 0, 16*n)
	for i := 1; i < n; i++ {
		for range 4 {
			j := s.Below(i)
			list = append(list, sparse.Triplet{Row: i, Col: j, Val: -1}, sparse.Triplet{Row: j, Col: i, Val: -1}, sparse.Triplet{Row: i, Col: i, Val: 1}, sparse.Triplet{Row: j, Col: j, Val: 1})
		}
	}
	a, err := sparse.FromTriplets(n, n, list)
	if err != nil {
		t.Fatal(err)
	}
	want, b := make([]float64, n), make([]float64, n)
	for i := range want {
		want[i] = float64(i%7) - 3
	}
	inFolder(t, "")
	var text strings.Builder
	if err := sparse.WriteMatrixMarket(&text, a); err != nil {
		t.Fatal(err)
	}
	write(t, "a.mtx", text.String())
	for _, c := range []struct {
		shift float64
		text  string
		zero  float64
	}{{0, "0", 1}, {0.5, "0.5", 0}} {
		a.MulVec(1, want, b)
		blas.Axpy(c.shift, want, b)
		save(t, "b.npy", mat.NewDense(n, 1, b))
		report := must(t, "solve", "--in", "a.mtx", "--shift", c.text, "--rhs", "b.npy", "--out", "x.npy", "--json").object(t)
		inertia := report["inertia"].(map[string]any)
		if report["plan"] == nil || !(report["residual"].(float64) <= iteratedTolerance) || report["iterations"].(float64) < 1 || inertia["zero"] != c.zero {
			t.Errorf("shift %s: %v", c.text, report)
		}
		x, off := matrix(t, "x.npy"), 0.0
		if c.shift == 0 {
			off = want[0] - x.At(0, 0) // the mean of the solution is zero
		}
		for i, v := range want {
			if d := x.At(i, 0) + off - v; d > 1e-7 || d < -1e-7 {
				t.Fatalf("shift %s: row %d is off by %g", c.text, i, d)
			}
		}
	}
}
