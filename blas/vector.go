package blas

// Dot returns xᵀy over the length of x. Four partial sums, combined in a fixed
// order, let the additions overlap.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds a·x to y over the length of x.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// Scale multiplies x by a in place.
func Scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

// SquaredDistance returns Σ(xᵢ − yᵢ)². It is the one formula that decides
// neighbours: equal points are at exactly 0, and swapping x and y changes no
// bit.
func SquaredDistance(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		d0, d1, d2, d3 := x[i]-y[i], x[i+1]-y[i+1], x[i+2]-y[i+2], x[i+3]-y[i+3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; i < len(x); i++ {
		d := x[i] - y[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

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
