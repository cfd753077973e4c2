package blas

// bidiagonal is the reduction B = PᵀAQ of a square matrix to upper bidiagonal form, with diagonal d and e
// above it. P and Q are products of reflections: those of Q stay in the rows of a, right of the diagonal, those of
// P go to the rows of u, from the diagonal on.
type bidiagonal struct {
	level3      Backend
	n           int
	a           []float64
	lda         int
	u           []float64
	ldu         int
	d, e        []float64 // n each; e[j] = B(j, j+1), the last is 0
	left, right []float64 // the factors of the reflections of P and Q, n each
	scratch     []float64
}

// bidiagonalWidth is the number of steps between two updates of the trailing matrix.
func bidiagonalWidth(n int) int {
	if n <= 256 {
		return 8
	}
	return 16
}

// firstCache is the extent, in numbers, of rows that are multiplied from both sides while they lie in the first-level cache.
const firstCache = 1 << 12

// bidiagonalScratch is the scratch of a reduction of order n.
func bidiagonalScratch(n int) int {
	rows := 2*bidiagonalWidth(n) + 1
	return 2*rows*n + n + rows
}

// stacks holds the steps since the last update of A: A − LᵀR is the updated matrix.
type stacks struct {
	l, r  []float64 // in rows of the order of the matrix: u₀, x₀, u₁ …; y₀, v₀, y₁ …
	count int
}

// reduce computes B and the reflections (Golub and Kahan 1965; in panels after Dongarra, Hammarling and Sorensen
// 1989). Half of the 8n³/3 operations are products with the trailing matrix, A·v and Aᵀ·u of the next step in one pass over it
// (Howell, Demmel, Fulton, Hammarling and Marmol 2008), the other half its updates. Entries of a must lie
// between 2⁻¹⁰⁰ and 2¹⁰⁰ in largest magnitude.
func (t *bidiagonal) reduce() {
	n, rows, floats := t.n, 2*bidiagonalWidth(t.n)+1, t.scratch
	s := stacks{l: take(&floats, rows*n), r: take(&floats, rows*n)}
	w, coefficients := take(&floats, n), take(&floats, rows)
	c := s.l[:n]
	for i := range c {
		c[i] = t.a[i*t.lda]
	}
	clear(w)
	t.level3.Gemv(true, n, n-1, 1, t.a[1:], t.lda, c, 0, w[1:])
	t.leftStep(0, &s, w, coefficients)
	for j := range n - 1 {
		t.rightStep(j, &s, w, coefficients)
		t.leftStep(j+1, &s, w, coefficients)
		if s.count == rows && j+2 < n {
			t.level3.Gemm(true, false, n-j-1, n-j-2, rows-1, -1, s.l[j+1:], n, s.r[j+2:], n, 1, t.a[(j+1)*t.lda+j+2:], t.lda)
			copy(s.l[j+1:n], s.l[(rows-1)*n+j+1:])
			copy(s.r[j+1:n], s.r[(rows-1)*n+j+1:])
			s.count = 1
		}
	}
	t.e[n-1], t.right[n-1] = 0, 0
}

// leftStep reflects column j, which is the next row of L, onto the diagonal. w is the product of the transposed
// trailing matrix with it, before the missing updates.
func (t *bidiagonal) leftStep(j int, s *stacks, w, coefficients []float64) {
	n, k := t.n, s.count
	u, y := s.l[k*n+j:(k+1)*n], s.r[k*n+j+1:(k+1)*n]
	s.count++
	head := u[0]
	d, tau := householder(u)
	t.d[j], t.left[j] = d, tau
	copy(t.u[j*t.ldu+j:], u)
	if tau == 0 {
		clear(y)
		return
	}
	// u is (column − d·e₁)/(head − d).
	copy(y, w[j+1:])
	Axpy(-d, t.a[j*t.lda+j+1:j*t.lda+n], y)
	Scale(1/(head-d), y)
	if k > 0 {
		c := coefficients[:k]
		t.level3.Gemv(false, k, n-j, 1, s.l[j:], n, u, 0, c)
		t.level3.Gemv(true, k, n-j-1, -1, s.r[j+1:], n, c, 1, y)
	}
	Scale(tau, y)
}

// rightStep reflects what is right of the diagonal in row j onto the entry next to it. It leaves the next column in the
// next row of L, and the product with it in w.
func (t *bidiagonal) rightStep(j int, s *stacks, w, coefficients []float64) {
	n, k := t.n, s.count
	c, v := coefficients[:k], t.a[j*t.lda+j+1:j*t.lda+n]
	for q := range c {
		c[q] = s.l[q*n+j]
	}
	t.level3.Gemv(true, k, n-j-1, -1, s.r[j+1:], n, c, 1, v)
	t.e[j], t.right[j] = householder(v)
	tau := t.right[j]

	x, column := s.l[k*n+j+1:(k+1)*n], s.l[(k+1)*n+j+1:(k+2)*n]
	t.level3.Gemv(false, k, n-j-1, 1, s.r[j+1:], n, v, 0, c)
	t.level3.Gemv(true, k, n-j-1, -tau, s.l[j+1:], n, c, 0, x)
	for q := range c {
		c[q] = s.r[q*n+j+1]
	}
	for i := range column {
		column[i] = t.a[(j+1+i)*t.lda+j+1]
	}
	t.level3.Gemv(true, k, n-j-1, -1, s.l[j+1:], n, c, 1, column)
	copy(s.r[k*n+j+1:], v)
	s.count++

	clear(w[j+2:])
	next, rows := w[j+2:n], max(4, firstCache/len(v)/4*4)
	for i := 0; i < len(x); i += rows {
		end := min(i+rows, len(x))
		block := t.a[(j+1+i)*t.lda+j+1:]
		t.level3.Gemv(false, end-i, len(v), tau, block, t.lda, v, 1, x[i:end])
		Axpy(-1, x[i:end], column[i:end])
		if len(next) > 0 {
			t.level3.Gemv(true, end-i, len(next), 1, block[1:], t.lda, column[i:end], 1, next)
		}
	}
}
