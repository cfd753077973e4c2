package blas

import "math"

// nativeDense computes the decompositions in Go over the products of a backend. Symmetric
// eigenproblems: reduction to tridiagonal form in panels, then bisection and inverse
// iteration for a few pairs, divide and conquer for many. Results do not depend on the number of threads.
type nativeDense struct{ level3 Backend }

const (
	// smallOrder is the order up to which QL steps serve every request.
	smallOrder = 28
	// fewShare: inverse iteration is taken for up to n/fewShare pairs.
	fewShare = 6
)

func (nativeDense) Name() string { return "native" }

var errSymEig = NonConvergence{"the symmetric eigensolver"}

// SymEig implements [Dense]. At most 14n³/3 operations, all but 2n³/3 in Gemm;
// 2.5n² numbers of scratch for n > 28.
func (s nativeDense) SymEig(n int, a []float64, lda int, w []float64, work *Work) error {
	if n == 0 {
		return nil
	}
	unit, ok := equilibrate(n, n, a, lda)
	if !ok {
		return errSymEig
	}
	if n <= smallOrder {
		return s.small(n, 0, n, unit, a, lda, w, a, lda, work)
	}
	return s.many(n, 0, n, unit, a, lda, w, a, lda, work)
}

// SymEigRange implements [Dense]. About 4n³/3 operations for few pairs.
func (s nativeDense) SymEigRange(n, lo, hi int, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	if lo < 0 || hi > n {
		panic("blas: range of eigenvalues outside the matrix")
	}
	if hi <= lo {
		return nil
	}
	unit, ok := equilibrate(n, n, a, lda)
	switch {
	case !ok:
		return errSymEig
	case n <= smallOrder:
		return s.small(n, lo, hi, unit, a, lda, w, z, ldz, work)
	case (hi-lo)*fewShare <= n:
		return s.few(n, lo, hi, unit, a, lda, w, z, ldz, work)
	}
	return s.many(n, lo, hi, unit, a, lda, w, z, ldz, work)
}

// equilibrate brings an m×n matrix whose largest entry is beyond 2^±100 to about 1,
// by a power of two, so that no square overflows or vanishes. It returns that
// power, and false where the matrix holds NaN or infinities.
func equilibrate(m, n int, a []float64, lda int) (unit float64, ok bool) {
	var largest float64
	for i := range m {
		for _, v := range a[i*lda : i*lda+n] {
			if v = math.Abs(v); !(v <= largest) {
				if !(v <= math.MaxFloat64) {
					return 0, false
				}
				largest = v
			}
		}
	}
	if largest == 0 || largest > 0x1p-100 && largest < 0x1p100 {
		return 1, true
	}
	_, power := math.Frexp(largest)
	power-- // 2¹⁰²⁴ is not a number
	for i := range m {
		row := a[i*lda : i*lda+n]
		for j, v := range row {
			row[j] = math.Ldexp(v, -power)
		}
	}
	return math.Ldexp(1, power), true
}

// small solves in a packed copy, by QL steps on the whole; z may be a.
func (s nativeDense) small(n, lo, hi int, unit float64, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	scratch := tridiagonalScratch(n, 0)
	floats := work.floats(n*n + 3*n + scratch)
	packed := take(&floats, n*n)
	for i := range n {
		copy(packed[i*n:i*n+n], a[i*lda:i*lda+n])
	}
	t := s.reduced(n, &unit, packed, n, &floats, scratch)
	accumulateReflections(nil, n, packed, t.tau)
	if !implicitQL(nil, n, packed, t.d, t.e, true) {
		return errSymEig
	}
	sortEigenpairs(n, packed, t.d, true)
	for j := lo; j < hi; j++ {
		w[j-lo] = unit * t.d[j]
		copy(z[(j-lo)*ldz:(j-lo)*ldz+n], packed[j*n:j*n+n])
	}
	return nil
}

// reduced reduces a to a tridiagonal matrix with entries below 1, and
// multiplies unit by what that takes.
func (s nativeDense) reduced(n int, unit *float64, a []float64, lda int, floats *[]float64, scratch int) tridiagonal {
	t := tridiagonal{
		level3: s.level3, n: n, a: a, lda: lda,
		d: take(floats, n), e: take(floats, n), tau: take(floats, n), scratch: take(floats, scratch),
	}
	t.reduce()
	*unit *= belowOne(t.d, t.e)
	return t
}

// belowOne brings two diagonals to numbers below 1 by a power of two, which it returns.
func belowOne(d, e []float64) float64 {
	var largest float64
	for i, v := range d {
		largest = max(largest, math.Abs(v), math.Abs(e[i]))
	}
	if largest == 0 {
		return 1
	}
	_, power := math.Frexp(largest)
	scale := math.Ldexp(1, -power)
	Scale(scale, d)
	Scale(scale, e)
	for i, v := range e {
		// Far below rounding, and the squares of such numbers could vanish.
		if math.Abs(v) < ulp/8 {
			e[i] = 0
		}
	}
	return math.Ldexp(1, power)
}

// many solves by divide and conquer; z may be a.
func (s nativeDense) many(n, lo, hi int, unit float64, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	size, isize := divideScratch(n)
	scratch := tridiagonalScratch(n, n)
	floats := work.floats(3*n + scratch + size)
	t := s.reduced(n, &unit, a, lda, &floats, scratch)
	d := newDivide(s.level3, t.d, t.e, floats, work.ints(isize))
	return s.conquer(&t, &d, lo, hi, unit, w, z, ldz)
}

// conquer solves the reduced problem and transforms its vectors back.
func (nativeDense) conquer(t *tridiagonal, d *divide, lo, hi int, unit float64, w, z []float64, ldz int) error {
	n := t.n
	if !d.run(lo, hi) {
		return errSymEig
	}
	// z may be the matrix that holds the reflectors: transform in d.s, which is
	// free, and already in order.
	count := hi - lo
	for j := range count {
		row := int(d.order[lo+j])
		w[j] = unit * d.d[row]
		copy(d.s[j*n:j*n+n], d.q[row*n:row*n+n])
	}
	t.back(count, d.s, n)
	for j := range count {
		copy(z[j*ldz:j*ldz+n], d.s[j*n:j*n+n])
	}
	return nil
}

// few solves by bisection and inverse iteration, block by block of the
// tridiagonal matrix where it falls apart.
func (s nativeDense) few(n, lo, hi int, unit float64, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	count := hi - lo
	scratch := tridiagonalScratch(n, count)
	size, isize := subsetScratch(n)
	floats, ints := work.floats(3*n+scratch+size), work.ints(isize)
	t := s.reduced(n, &unit, a, lda, &floats, scratch)
	x := &subset{level3: s.level3, d: t.d, e: t.e, w: w[:count], z: z, ldz: ldz, floats: floats, ints: ints}
	if !x.run(lo, hi) {
		// A cluster that defeats inverse iteration is not an obstacle to dividing.
		size, isize = divideScratch(n)
		t.scratch = make([]float64, tridiagonalScratch(n, count))
		d := newDivide(s.level3, t.d, t.e, make([]float64, size), make([]int32, isize))
		return s.conquer(&t, &d, lo, hi, unit, w, z, ldz)
	}
	Scale(unit, w[:count])
	t.back(count, z, ldz)
	return nil
}

// qlOrder is the order up to which QL steps on the whole are the shortest way to a few pairs.
const qlOrder = 12

// SymEigLargest computes the count largest eigenvalues w, descending, of the symmetric n×n
// matrix a (row-major, leading dimension n, both triangles given), which it destroys. Where z is
// not nil, row j of z (leading dimension n) becomes the unit eigenvector of w[j]. It is meant for
// the matrices of patches and charts, of which a few pairs are wanted: a reduction to tridiagonal
// form in 4n³/3 operations, bisection, and inverse iteration; of many pairs and of orders up to 12
// QL steps. It allocates nothing once work is large enough. The error reports NaN or infinities.
func SymEigLargest(n, count int, a, w, z []float64, work *Work) error {
	if count == 0 {
		return nil
	}
	unit, ok := equilibrate(n, n, a, n)
	if !ok {
		return errSymEig
	}
	if n <= qlOrder || count*fewShare > n {
		return largestByQL(n, count, unit, a, w, z, work)
	}
	s := nativeDense{nativeBackend{}}
	if z == nil {
		if !s.largestValues(n, count, unit, a, w, work) {
			return errSymEig
		}
		reverse(count, w, nil, 0)
		return nil
	}
	if err := s.few(n, n-count, n, unit, a, n, w, z, n, work); err != nil {
		return err
	}
	reverse(count, w, z, n)
	return nil
}

// largestByQL takes the largest of all pairs.
func largestByQL(n, count int, unit float64, a, w, z []float64, work *Work) error {
	floats := work.floats(3 * n)
	all := floats[:n]
	if !SymEigSmall(n, a, all, z != nil, floats[n:]) {
		return errSymEig
	}
	for j := range count {
		w[j] = unit * all[n-1-j]
		if z != nil {
			copy(z[j*n:j*n+n], a[(n-1-j)*n:(n-j)*n])
		}
	}
	return nil
}

// largestValues is few without vectors; w ascends.
func (s nativeDense) largestValues(n, count int, unit float64, a, w []float64, work *Work) bool {
	scratch := tridiagonalScratch(n, 0)
	size, isize := subsetScratch(n)
	floats, ints := work.floats(3*n+scratch+size), work.ints(isize)
	t := s.reduced(n, &unit, a, n, &floats, scratch)
	x := &subset{level3: s.level3, d: t.d, e: t.e, w: w[:count], floats: floats, ints: ints}
	if x.choose(n-count, n) == nil {
		// Counts that rounding puts at odds with each other are no obstacle to QL.
		all := make([]float64, n)
		copy(all, t.d)
		if !implicitQL(nil, n, nil, all, t.e, false) {
			return false
		}
		sortEigenpairs(n, nil, all, false)
		copy(w, all[n-count:])
	}
	Scale(unit, w[:count])
	return true
}

// reverse puts ascending pairs in descending order.
func reverse(count int, w, z []float64, n int) {
	for i, j := 0, count-1; i < j; i, j = i+1, j-1 {
		w[i], w[j] = w[j], w[i]
		if z != nil {
			x, y := z[i*n:i*n+n], z[j*n:j*n+n]
			for p := range x {
				x[p], y[p] = y[p], x[p]
			}
		}
	}
}
