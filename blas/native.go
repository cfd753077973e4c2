package blas

// nativeBackend computes level 2 and 3 in Go and generated assembly. Its
// results depend on the input alone: not on the instruction level, the sizes of
// tiles or the number of threads.
type nativeBackend struct{}

func init() {
	registry = append(registry, candidate{name: "native", level3: nativeBackend{}})
}

func (nativeBackend) Name() string { return "native" }

func (nativeBackend) Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	checkMatrix(m, n, c, ldc)
	if k == 0 || alpha == 0 {
		scaleRows(m, n, beta, c, ldc, false)
		return
	}
	p := general(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	p.run()
}

// general is the product of Gemm with k terms.
func general(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) product[float64] {
	checkOriented(tA, m, k, a, lda)
	checkOriented(tB, k, n, b, ldb)
	return product[float64]{family: kernel.family64, m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: oriented(tA, a, lda), b: oriented(tB, b, ldb), c: c, ldc: ldc}
}

// slab is the number of terms over which Syrk sums at a time when there are
// more: slabs may be computed by different threads, and are added up in order.
const slab = 4096

func (nativeBackend) Syrk(trans bool, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if n == 0 {
		return
	}
	checkMatrix(n, n, c, ldc)
	if k == 0 || alpha == 0 {
		scaleRows(n, n, beta, c, ldc, true)
		return
	}
	p := symmetricUpdate(trans, n, min(k, slab), alpha, a, lda, beta, c, ldc)
	p.run()
	if k <= slab {
		return
	}
	checkOriented(trans, n, k, a, lda)
	x, y := p.a, p.b
	s := scratch64.Get().(*scratch[float64])
	defer scratch64.Put(s)
	s.c = grown(s.c, n*n)
	p.c, p.ldc, p.beta = s.c, n, 0
	for q := slab; q < k; q += slab {
		p.k, p.a, p.b = min(slab, k-q), x.from(0, q), y.from(q, 0)
		p.run()
		for i := range n {
			Axpy(1, s.c[i*n+i:(i+1)*n], c[i*ldc+i:i*ldc+n])
		}
	}
}

// symmetricUpdate is the product of Syrk with k terms.
func symmetricUpdate(trans bool, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) product[float64] {
	checkOriented(trans, n, k, a, lda)
	return product[float64]{family: kernel.family64, m: n, n: n, k: k, alpha: alpha, beta: beta,
		a: oriented(trans, a, lda), b: oriented(!trans, a, lda), c: c, ldc: ldc, part: upperPart}
}

// Gemv forms the entries of A·x as [Dot] does, and the entries of Aᵀ·x as chains of fused
// multiply-adds in the order of the rows.
func (nativeBackend) Gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	if trans {
		x, y = x[:m], y[:n]
	} else {
		x, y = x[:n], y[:m]
	}
	if m > 0 && n > 0 {
		checkMatrix(m, n, a, lda)
	}
	if m == 0 || n == 0 || alpha == 0 {
		scaleRows(1, len(y), beta, y, len(y), false)
		return
	}
	if !trans {
		for i := range y {
			s := Dot(a[i*lda:i*lda+n], x)
			if beta == 0 {
				y[i] = alpha * s
			} else {
				y[i] = fma(alpha, s, float64(beta*y[i]))
			}
		}
		return
	}
	scaleRows(1, n, beta, y, n, false)
	i := 0
	for ; i+4 <= m; i += 4 {
		f := [4]float64{alpha * x[i], alpha * x[i+1], alpha * x[i+2], alpha * x[i+3]}
		axpyFour(&f, a[i*lda:], lda, y)
	}
	for ; i < m; i++ {
		Axpy(alpha*x[i], a[i*lda:i*lda+n], y)
	}
}

// scaleRows computes C = beta·C, of its upper triangle only if upper is set.
func scaleRows(m, n int, beta float64, c []float64, ldc int, upper bool) {
	if beta == 1 {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if upper {
			row = row[i:]
		}
		if beta == 0 {
			clear(row)
		} else {
			Scale(beta, row)
		}
	}
}

// checkOriented panics unless a holds the matrix A, op(A) being m×n.
func checkOriented[T float](transposed bool, m, n int, a []T, lda int) {
	if transposed {
		m, n = n, m
	}
	checkMatrix(m, n, a, lda)
}

// checkMatrix panics unless a holds m rows of n numbers, lda apart: assembly
// checks nothing.
func checkMatrix[T float](m, n int, a []T, lda int) {
	switch {
	case m < 0 || n < 0:
		panic("blas: negative dimension")
	case lda < n:
		panic("blas: leading dimension shorter than the rows")
	case len(a) < (m-1)*lda+n:
		panic("blas: matrix too short for its dimensions")
	}
}
