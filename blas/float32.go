package blas

// MulTransposed32 computes C = A·Bᵀ in single precision: A is m×k, B is n×k and
// C is m×n, row-major with rows lda, ldb and ldc apart. It serves products that
// only preselect, at up to twice the speed of Gemm: |c − exact| ≤ (k+2)·2⁻²⁴·Σ|a||b|
// for k ≤ 256, and less than (256 + ⌈k/256⌉ + 2)·2⁻²⁴·Σ|a||b| beyond.
// Unlike Gemm's, its bits depend on the instruction level (Go has no fused
// multiply-add in single precision), though not on the number of threads.
func MulTransposed32(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	checkMatrix(m, n, c, ldc)
	if k == 0 {
		for i := range m {
			clear(c[i*ldc : i*ldc+n])
		}
		return
	}
	checkMatrix(m, k, a, lda)
	checkMatrix(n, k, b, ldb)
	p := product[float32]{family: families32[isa], m: m, n: n, k: k, alpha: 1,
		a: oriented(false, a, lda), b: oriented(true, b, ldb), c: c, ldc: ldc}
	p.run()
}
