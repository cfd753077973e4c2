package blas

import "math"

// divideSingular computes the singular value decomposition of an upper bidiagonal matrix by divide and conquer (Gu
// and Eisenstat 1995). Blocks of m rows have m + 1 columns: the row between two blocks is put back as a first row of an
// arrow, whose squared singular values are those of a change of rank one, with poles at the squares of the blocks' values.
// Left vectors are the rows of q, right vectors those of w, where a block has one more, its null vector.
// At most 8n³/3 operations, nearly all of them in Gemm.
type divideSingular struct {
	divide
	w []float64 // (n+1)×(n+1)
}

// divideSingularScratch is the scratch of a divideSingular of order n: numbers and integers.
func divideSingularScratch(n int) (floats, ints int) {
	floats, ints = divideScratch(n)
	return floats + (n+1)*(n+1), ints
}

// newDivideSingular lays a divideSingular out in scratch. The last of e must be 0.
func newDivideSingular(level3 Backend, d, e []float64, floats []float64, ints []int32) divideSingular {
	n := len(d)
	w := take(&floats, (n+1)*(n+1))
	t := divideSingular{newDivide(level3, d, e, floats, ints), w}
	t.squared = true
	return t
}

// run finds all triplets: afterwards the one of rank j, ascending, has value d[order[j]] and is row order[j] of q and w.
func (t *divideSingular) run() {
	clear(t.q)
	clear(t.w)
	t.solve(0, t.n)
}

// solve treats rows off … off+n−1.
func (t *divideSingular) solve(off, n int) {
	ld := t.n + 1
	switch n {
	case 0:
		t.w[off*ld+off] = 1
		return
	case 1:
		t.single(off)
		return
	}
	left := (n - 1) / 2
	t.solve(off, left)
	t.solve(off+left+1, n-left-1)
	t.merge(off, left, n)
}

// single is the block of row off: two numbers.
func (t *divideSingular) single(off int) {
	ld := t.n + 1
	c, s := 1.0, 0.0
	r := math.Hypot(t.d[off], t.e[off])
	if r > 0 {
		c, s = t.d[off]/r, t.e[off]/r
	}
	t.d[off], t.order[off], t.q[off*t.n+off] = r, 0, 1
	at := off*ld + off
	t.w[at], t.w[at+1], t.w[at+ld], t.w[at+ld+1] = c, s, -s, c
}

// merge turns the triplets of two blocks into the triplets of both with the row between them.
func (t *divideSingular) merge(off, left, n int) {
	q := halves{rows: t.q[off*t.n+off:], ld: t.n, left: left, from: left + 1, right: n - left - 1}
	w := halves{rows: t.w[off*(t.n+1)+off:], ld: t.n + 1, left: left + 1, from: left + 1, right: n - left}
	t.q[(off+left)*t.n+off+left] = 1
	k := t.deflate(off, left, n, &q, &w)
	d := t.d[off : off+n]
	if k == 1 { // the arrow is a number
		d[left], k = t.z[0], 0
		t.kind[left] = deflated
	}
	if k == 0 {
		t.sortRows(off, n, 0)
		return
	}
	counts := t.arrange(k)
	t.gather(&w, k, &counts)
	t.sink(n, k, &w, values(d))
	t.rankOne(k, 1)
	copy(d, t.roots[:k])
	t.rankOneVectors(k, 0, k)
	t.multiply(&w, 0, k, k, &counts)
	t.gather(&q, k, &counts)
	t.sink(n, k, &q)
	t.leftVectors(k)
	t.multiply(&q, 0, k, k, &counts)
	// Only the arrow's first row has a part in the column between.
	for i := range k {
		t.q[(off+i)*t.n+off+left] = t.s[i*k+int(t.place[0])]
	}
	t.sortRows(off, n, k)
}

// deflate finds the triplets that the row between changes by rounding only. It returns the number of the others, of
// which the row between is the first, with the pole 0.
func (t *divideSingular) deflate(off, left, n int, q, w *halves) int {
	d, z := t.d[off:off+n], t.weight[:n]
	alpha, beta := d[left], t.e[off+left]
	largest := max(math.Abs(alpha), math.Abs(beta))
	for j := range n {
		if j < left {
			z[j], t.kind[j] = alpha*w.rows[j*w.ld+left], leftSide
		} else {
			z[j], t.kind[j] = beta*w.rows[j*w.ld+left+1], rightSide
		}
		if j != left {
			largest = max(largest, d[j])
		}
	}
	tolerance := 4 * ulp * largest
	// One combination of the null vectors of both blocks takes all that they have of the row, the other stays one.
	d[left], t.kind[left] = 0, bothSides
	z[left] = t.rotateNull(left, n, alpha*w.rows[left*w.ld+left], beta*w.rows[n*w.ld+left+1], w)
	rows := t.ascending(d, t.order[off:off+left], t.order[off+left+1:off+n], left+1)
	for len(rows) > 0 && d[rows[0]] <= tolerance { // likewise
		j := int(rows[0])
		z[left] = t.rotateNull(left, j, z[left], z[j], w)
		d[j], t.kind[j], rows = 0, deflated, rows[1:]
	}
	t.poles[0], t.z[0], t.list[0] = 0, z[left], int32(left)
	kept := t.deflateRows(1, rows, d, 1, tolerance, q, w)
	if kept > 1 {
		t.z[0] = max(t.z[0], tolerance)
	}
	return kept
}

// rotateNull rotates two rows of w such that their parts f and g of an entry go to the first, and returns that part.
func (t *divideSingular) rotateNull(i, j int, f, g float64, w *halves) float64 {
	r := math.Hypot(f, g)
	if r > 0 {
		rotateHalves([]*halves{w}, i, j, f/r, -g/r)
	}
	return r
}

// leftVectors turns the rows of s, the right vectors of the arrow, into the left ones.
func (t *divideSingular) leftVectors(k int) {
	poles := t.tail[:k]
	for j, place := range t.place[:k] {
		poles[place] = t.poles[j]
	}
	for i := range k {
		row := t.s[i*k : i*k+k]
		for j, p := range poles {
			row[j] *= p
		}
		row[t.place[0]] = -t.z[i]
		Scale(1/math.Sqrt(Dot(row, row)), row)
	}
}
