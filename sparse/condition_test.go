package sparse

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// The estimate is a bound from below, and near the truth.
func TestInverseNorm(t *testing.T) {
	for name, a := range map[string]*CSR{"grid": grid(8, false), "cliques": cliques(120, 3, 8, 13), "one": fromNeighbors(make([][]int32, 1), blas.NewStream(2))} {
		for shift, b := range map[float64]*CSR{0.1: a, 1e-6: laplacian(a)} {
			f := factorize(t, b, shift)
			dense := b.Dense()
			for i := range b.Rows {
				dense.Set(i, i, dense.At(i, i)+shift)
			}
			var inverse mat.Dense
			if err := inverse.Inverse(dense); err != nil {
				t.Fatal(err)
			}
			want := mat.Norm(&inverse, 1)
			if got := f.inverseNorm(1, new(SolveWork)); !(got <= want*(1+1e-6) && got >= want/3) {
				t.Errorf("%s + %g: %g where the norm is %g", name, shift, got, want)
			}
		}
	}
}

// Laplacians are singular, whatever rounding makes of their last pivot; nearly singular
// matrices have solutions.
func TestSingularIsNotDefinite(t *testing.T) {
	for _, side := range []int{2, 3, 5, 12, 13, 17, 40, 41, 77} {
		l := laplacian(grid(side, false))
		var failure *NotPositiveDefiniteError
		if _, err := NewCholesky(t.Context(), l, 0, CholeskyOptions{}); !errors.As(err, &failure) || math.Abs(failure.Pivot) > 1e-9 {
			t.Errorf("the Laplacian of %d²: %v", side, err)
		}
		for _, shift := range []float64{1e-3, 1e-9, 1e-12} {
			if _, err := NewCholesky(t.Context(), l, shift, CholeskyOptions{}); err != nil {
				t.Errorf("the Laplacian of %d² + %g: %v", side, shift, err)
			}
		}
	}
	nearly := &CSR{Rows: 2, Cols: 2, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Val: []float64{3, 1, 1, 1.0 / 3 * (1 + 0x1p-52)}}
	if _, err := NewCholesky(t.Context(), nearly, 0, CholeskyOptions{}); err == nil || !strings.Contains(err.Error(), "in row and column") {
		t.Error(err)
	}
}
