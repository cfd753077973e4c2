package lasso

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// A factor from which rows were deleted is that of the smaller matrix.
func TestCholeskyDelete(t *testing.T) {
	kernels := blas.MustSelect("auto")
	for _, n := range []int{2, 5, 33, 80} {
		data := images(3, n, n+4)
		a := gramOfRows(data, n, n+4)
		factor := slices.Clone(a)
		if !choleskyFactor(kernels, n, n, factor, new([]float64)) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		left := make([]int, n)
		for i := range left {
			left[i] = i
		}
		turns := make([]rotation, n)
		for _, r := range []int{n / 2, 0, n - 3} {
			if len(left) < 2 || r < 0 || r >= len(left) {
				continue
			}
			choleskyDelete(len(left), n, factor, r, turns)
			left = slices.Delete(left, r, r+1)
			for p, i := range left {
				for q, j := range left[:p+1] {
					got := blas.Dot(factor[p*n:p*n+q+1], factor[q*n:q*n+q+1])
					if want := a[i*n+j]; math.Abs(got-want) > 1e-13*float64(n) {
						t.Fatalf("n = %d without %d: entry (%d, %d) of LLᵀ is %v, want %v", n, r, p, q, got, want)
					}
				}
			}
		}
		x := make([]float64, len(left))
		for p := range x {
			for _, j := range left {
				x[p] += a[left[p]*n+j]
			}
		}
		choleskySubstitute(len(left), n, factor, x)
		for p, v := range x {
			if math.Abs(v-1) > 1e-8 { // the matrix has a condition of up to 1e5
				t.Errorf("n = %d: entry %d of the solution is %v, want 1", n, p, v)
			}
		}
	}
	if choleskyFactor(kernels, 2, 2, []float64{1, 0, 2, 1}, new([]float64)) {
		t.Error("an indefinite matrix has a factor")
	}
}
