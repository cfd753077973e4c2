package blas

// gemmNT computes C = alpha·A·Bᵀ + beta·C in two rows by four columns of
// accumulators, for products too small to pay for packing.
func gemmNT(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	store := func(i, j int, v float64) {
		if beta == 0 {
			c[i*ldc+j] = alpha * v
		} else {
			c[i*ldc+j] = alpha*v + beta*c[i*ldc+j]
		}
	}
	i := 0
	for ; i+2 <= m; i += 2 {
		a0, a1 := a[i*lda:i*lda+k], a[(i+1)*lda:(i+1)*lda+k]
		j := 0
		for ; j+4 <= n; j += 4 {
			b0, b1 := b[j*ldb:j*ldb+k], b[(j+1)*ldb:(j+1)*ldb+k]
			b2, b3 := b[(j+2)*ldb:(j+2)*ldb+k], b[(j+3)*ldb:(j+3)*ldb+k]
			var c00, c01, c02, c03, c10, c11, c12, c13 float64
			for p, x := range a0 {
				y := a1[p]
				c00 += x * b0[p]
				c01 += x * b1[p]
				c02 += x * b2[p]
				c03 += x * b3[p]
				c10 += y * b0[p]
				c11 += y * b1[p]
				c12 += y * b2[p]
				c13 += y * b3[p]
			}
			store(i, j, c00)
			store(i, j+1, c01)
			store(i, j+2, c02)
			store(i, j+3, c03)
			store(i+1, j, c10)
			store(i+1, j+1, c11)
			store(i+1, j+2, c12)
			store(i+1, j+3, c13)
		}
		for ; j < n; j++ {
			bj := b[j*ldb : j*ldb+k]
			var c0, c1 float64
			for p, x := range bj {
				c0 += a0[p] * x
				c1 += a1[p] * x
			}
			store(i, j, c0)
			store(i+1, j, c1)
		}
	}
	if i < m {
		ai := a[i*lda : i*lda+k]
		for j := range n {
			bj := b[j*ldb : j*ldb+k]
			var s float64
			for p, x := range ai {
				s += x * bj[p]
			}
			store(i, j, s)
		}
	}
}
