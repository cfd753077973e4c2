package blas

import (
	"fmt"
	"math"
	"testing"
)

// The largest pairs are those that QL steps on the whole find: to rounding of the largest, with
// vectors that are orthonormal and have residuals of rounding.
func TestSymEigLargest(t *testing.T) {
	work := new(Work)
	for _, n := range []int{1, 2, 5, 12, 13, 30, 33, 70} {
		for name, values := range spectra(n) {
			for _, size := range []float64{1, 0x1p-300, 0x1p300} {
				a := symmetric(values, uint64(n))
				Scale(size, a)
				whole, all := append([]float64(nil), a...), make([]float64, n)
				Scale(1/size, whole)
				SymEigSmall(n, whole, all, false, make([]float64, 2*n))
				bound := 64 * ulp * float64(n) * math.Max(all[n-1], 1)
				for _, count := range []int{1, 2, n/fewShare + 1, n} {
					if count > n {
						continue
					}
					where := fmt.Sprintf("order %d, %s, %d pairs, size %g", n, name, count, size)
					w, alone, z := make([]float64, count), make([]float64, count), make([]float64, count*n)
					if SymEigLargest(n, count, append([]float64(nil), a...), w, z, work) != nil || SymEigLargest(n, count, append([]float64(nil), a...), alone, nil, work) != nil {
						t.Fatalf("%s: no convergence", where)
					}
					for j, v := range w {
						if want := all[n-1-j]; !(math.Abs(v/size-want) <= bound) || !(math.Abs(alone[j]/size-want) <= bound) {
							t.Errorf("%s: value %d is %g, without vectors %g, want %g", where, j, v/size, alone[j]/size, want)
						}
						x := z[j*n : j*n+n]
						for l := range j + 1 {
							want := 0.0
							if l == j {
								want = 1
							}
							if dot := Dot(x, z[l*n:l*n+n]); !(math.Abs(dot-want) <= 64*ulp*float64(n)) {
								t.Errorf("%s: vectors %d and %d: %g", where, l, j, dot)
							}
						}
						for i := range n {
							if r := Dot(a[i*n:i*n+n], x)/size - v/size*x[i]; !(math.Abs(r) <= bound) {
								t.Errorf("%s: residual %g of vector %d", where, r, j)
								break
							}
						}
					}
				}
			}
		}
	}
	nan := []float64{1, math.NaN(), math.NaN(), 1}
	if SymEigLargest(2, 1, nan, make([]float64, 1), nil, work) == nil {
		t.Error("NaN has eigenvalues")
	}
}
