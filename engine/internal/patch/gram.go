package patch

import "github.com/orthant-go/orthant/blas"

// gramOf is C = GGᵀ of the k × m matrix g. Once stop says so, which is asked between products of
// about a second, it leaves the rest; nil: it does not.
func gramOf(kernels *blas.Kernels, stop func() bool, g []float64, k, m int, c []float64) {
	rows := max(1, int(min(float64(k), 0x1p32/float64(k*m))))
	for lo := 0; lo < k && (stop == nil || !stop()); lo += rows {
		kernels.Gemm(false, true, min(rows, k-lo), k, m, 1, g[lo*m:], m, g, m, 0, c[lo*k:], k)
	}
}
