package blas

// qlOrder is the order up to which QL steps on the whole are the shortest way to a few pairs.
const qlOrder = 12

// SymEigLargest computes the count largest eigenvalues w, descending, of the symmetric n×n
// matrix a (row-major, leading dimension n, both triangles given), which it destroys. Where z is
// not nil, row j of z (leading dimension n) becomes the unit eigenvector of w[j]. It is meant for
// the matrices of patches and charts, of which a few pairs are wanted: a reduction to tridiagonal
// form in 4n³/3 operations, bisection, and inverse iteration; of many pairs and of orders up to 12
// QL steps. It allocates nothing once work is large enough. The error is that of NaN or infinities.
func SymEigLargest(n, count int, a, w, z []float64, work *Work) error {
	if count == 0 {
		return nil
	}
	unit, ok := equilibrate(n, a, n)
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
