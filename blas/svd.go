package blas

var errSVD = NonConvergence{"the singular value decomposition"}

// SVD implements [Dense]. A matrix that is not square is reduced to a triangle first; the square one is reduced to
// bidiagonal form, and divided. p = min(m, n): at most 28p³/3 operations, and 6p²·max(m, n) for the triangle.
// See [SVDBytes].
func (s nativeDense) SVD(m, n int, a []float64, lda int, values, u []float64, ldu int, vt []float64, ldvt int, work *Work) error {
	p := min(m, n)
	if p == 0 {
		return nil
	}
	unit, ok := equilibrate(m, n, a, lda)
	if !ok {
		return errSVD
	}
	tall, long := m > n, max(m, n)
	size, isize := divideSingularScratch(p)
	side := max(bidiagonalScratch(p), reflectionsScratch(p))
	gaps := tall && (lda != n || ldu != n)
	total := size + side + 5*p
	if gaps {
		total += m * n
	}
	floats := work.floats(total)
	scratch := take(&floats, side)
	// The reflections of either side lie where its vectors go.
	left, right := vectors{u, ldu, true}, vectors{vt, ldvt, false}
	if tall {
		if gaps {
			wide := take(&floats, m*n)
			transposeTo(m, n, a, lda, wide, m)
			a = wide
		} else { // by way of u, which is as large
			transposeTo(m, n, a, n, u, m)
			copy(a, u[:m*n])
		}
		lda = m
		left, right = vectors{vt, ldvt, false}, vectors{u, ldu, true}
	}
	outer := reflections{level3: s.level3, count: p, n: long, v: a, ld: lda, tau: take(&floats, p), scratch: scratch}
	if long > p {
		outer.triangularize(right.at, right.ld)
		a, lda = right.at, right.ld
	}
	b := bidiagonal{level3: s.level3, n: p, a: a, lda: lda, u: left.at, ldu: left.ld, scratch: scratch,
		d: take(&floats, p), e: take(&floats, p), left: take(&floats, p), right: take(&floats, p)}
	b.reduce()
	unit *= belowOne(b.d, b.e)
	t := newDivideSingular(s.level3, b.d, b.e, floats, work.ints(isize))
	t.run()
	for j := range p {
		values[j] = unit * t.d[t.order[p-1-j]]
	}
	rows := t.s
	t.descending(rows, t.q, p)
	inner := reflections{level3: s.level3, count: p - 1, n: p, v: left.at, ld: left.ld, tau: b.left, scratch: scratch}
	inner.toRows(p, rows, p)
	left.put(p, rows)
	t.descending(rows, t.w, p+1)
	inner = reflections{level3: s.level3, count: max(p-2, 0), n: p, shift: 1, v: a, ld: lda, tau: b.right, scratch: scratch}
	inner.toRows(p, rows, p)
	right.put(p, rows)
	if long == p {
		return nil
	}
	if tall {
		for i := p; i < m; i++ {
			clear(u[i*ldu : i*ldu+p])
		}
		outer.toColumns(p, u, ldu)
		return nil
	}
	for i := range p {
		clear(vt[i*ldvt+p : i*ldvt+n])
	}
	outer.toRows(p, vt, ldvt)
	return nil
}

// SVDBytes is the scratch of [Kernels.SVD] for an m×n matrix, at most, where the rows of A and U follow without gaps
// and no library decomposes: 3.5p² numbers for p = min(m, n), and some rows of p.
func SVDBytes(m, n int) int64 {
	p := min(m, n)
	size, isize := divideSingularScratch(p)
	return 8*int64(size+max(bidiagonalScratch(p), reflectionsScratch(p))+5*p) + 4*int64(isize)
}

// vectors is a place for singular vectors.
type vectors struct {
	at      []float64
	ld      int
	columns bool
}

// put stores n vectors of n numbers, given in rows.
func (v vectors) put(n int, rows []float64) {
	if v.columns {
		transposeTo(n, n, rows, n, v.at, v.ld)
		return
	}
	for i := range n {
		copy(v.at[i*v.ld:i*v.ld+n], rows[i*n:])
	}
}

// transposeTo writes the transpose of the m×n matrix a to b.
func transposeTo(m, n int, a []float64, lda int, b []float64, ldb int) {
	const strip = 8
	for i := 0; i < m; i += strip {
		kernel.family64.pack(min(strip, m-i), n, a[i*lda:], lda, b[i:], ldb)
	}
}

// descending copies the vectors in rows of from, ld apart, to rows, the largest value first.
func (t *divideSingular) descending(rows, from []float64, ld int) {
	n := t.n
	for j := range n {
		at := int(t.order[n-1-j]) * ld
		copy(rows[j*n:j*n+n], from[at:])
	}
}
