package solvers

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// An eigenvalue of high multiplicity is found by a shift far below the spectrum, too: the
// search is repeated by a nearer one.
func TestPencilFarBelowTheSpectrum(t *testing.T) {
	k, _ := lattice(t, 20)
	n := k.Rows + 200
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: append(slices.Clone(k.Ptr), slices.Repeat([]int{len(k.Col)}, 200)...), Col: k.Col, Val: k.Val}
	for name, m := range map[string]mat.Matrix{"plain": nil, "diagonal": mat.NewVecDense(n, slices.Repeat([]float64{3}, n))} {
		var first *Eigen
		for _, threads := range []int{1, 2} {
			e, err := Pencil{A: a, M: m, Sigma: -4}.Smallest(context.Background(), 25, Options{Threads: threads})
			if err != nil {
				t.Fatal(name, err)
			}
			if !e.Converged || slices.Max(e.Residuals) > residualLimit || !strings.Contains(e.Plan.Reason, "the shift moved from -4 to ") {
				t.Errorf("%s: residuals %g, %s", name, slices.Max(e.Residuals), e.Plan.Reason)
			}
			for j, v := range append(slices.Clone(e.Values), e.Next) {
				if math.Abs(v) > 1e-9 {
					t.Errorf("%s: eigenvalue %d is %g", name, j, v)
				}
			}
			if first == nil {
				first = e
			} else if !slices.Equal(first.Vectors[24], e.Vectors[24]) {
				t.Errorf("%s: threads change a vector", name)
			}
		}
	}
}

// A matrix of zeros has eigenvalues of zero, whatever M is.
func TestPencilOfZeros(t *testing.T) {
	_, m := lattice(t, 20)
	zeros := &sparse.CSR{Rows: m.Rows, Cols: m.Rows, Ptr: make([]int, m.Rows+1)}
	for name, m := range map[string]mat.Matrix{"plain": nil, "sparse": m, "diagonal": mat.NewVecDense(m.Rows, slices.Repeat([]float64{3}, m.Rows))} {
		e, err := Pencil{A: zeros, M: m}.Smallest(context.Background(), 7, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if !e.Converged || slices.Max(e.Residuals) > residualLimit || e.Values[6] > 1e-20 || len(e.Vectors) != 7 {
			t.Errorf("%s: %v, residuals %v", name, e.Values, e.Residuals)
		}
	}
}
