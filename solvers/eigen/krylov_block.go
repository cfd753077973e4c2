package eigen

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// plainPivot: a column that keeps less than this share after projection off the columns before it
	// is orthonormalised with care. Above it two passes of Cholesky QR are as exact.
	plainPivot = 1e-3
	// shrunkenShare is the same for what is left of the length that a column had before
	// the basis was taken from it.
	shrunkenShare = 1e-6
	// lostShare: a column that has lost all but this share of that length holds rounding
	// alone, and is dropped.
	lostShare = 1e-13
)

// A pass over the next block reads it from memory, but a strip of its rows stays in the cache: updates of the rows are left to the
// next pass that reads them (krylov.due), which makes them strip by strip.

// orthonormalize makes the leading width columns of the next block orthonormal among
// themselves and reports how many are left. lengths are the lengths of the columns before
// anything was subtracted from them. r[i][j], row-major with the block as its width, is the
// coefficient of new column i in old column j.
//
// It is Cholesky QR, twice (Yamamoto, Nakatsukasa, Yanagisawa and Fukaya 2015): two
// products with the block each. Columns that hardly differ, or hardly have a length, are
// left to [krylov.orthonormalizeRows].
func (k *krylov) orthonormalize(width int, lengths, r []float64) int {
	b := k.block
	first := k.rest
	if k.rest = nil; first == nil {
		first = k.gram()
	}
	inverse, plain := choleskyInverse(first, b, width, lengths)
	if !plain {
		return k.orthonormalizeRows(width, lengths, r)
	}
	k.multiply(inverse)
	second := k.gram()
	unit := make([]float64, width)
	correction, plain := choleskyInverse(second, b, width, unit)
	if !plain {
		return k.orthonormalizeRows(width, lengths, r) // not reached but for what is not finite
	}
	for i := range b {
		for j := range b {
			correction[i*b+j] = -correction[i*b+j]
		}
		correction[i*b+i]++
	}
	next := k.next
	k.due = func(lo, hi int) {
		x := next[lo*b:]
		blas.SubtractRows(b, b, hi-lo, x, b, correction, x, nil)
	}
	clear(r)
	for i := range width {
		for j := i; j < width; j++ {
			var sum float64
			for t := i; t <= j; t++ {
				sum += second[i*b+t] * first[t*b+j]
			}
			r[i*b+j] = sum
		}
	}
	return width
}

// measure finds coefficients of the next block, after the updates that are due.
func (k *krylov) measure(a *along) {
	a.measure(k.next, k.due)
	k.due = nil
}

// take leaves to the next pass to subtract what the next block has along a basis. The basis and the coefficients must not change
// before.
func (k *krylov) take(a along) {
	before, next := k.due, k.next
	k.due = func(lo, hi int) {
		if before != nil {
			before(lo, hi)
		}
		a.subtract(next, lo, hi)
	}
}

// gram returns WᵀW of the next block.
func (k *krylov) gram() []float64 {
	k.own.pieces, k.own.size = [][]float64{k.next}, k.block
	own := along{q: &k.own}
	k.measure(&own)
	return own.c
}

// multiply leaves to the next pass to replace the next block W by WS. No other update may be due.
func (k *krylov) multiply(s []float64) {
	b, from, to := k.block, k.next, k.spare
	minus := make([]float64, b*b)
	blas.Axpy(-1, s, minus)
	k.due = func(lo, hi int) {
		clear(to[lo*b : hi*b])
		blas.SubtractRows(b, b, hi-lo, from[lo*b:], b, minus, to[lo*b:hi*b], nil)
	}
	k.next, k.spare = to, from
}

// choleskyInverse replaces the leading part of the Gram matrix G = RᵀR by R, upper
// triangular, and returns its inverse, with zeros beyond. plain reports whether the columns
// are independent enough, among themselves and relative to the lengths that they had.
func choleskyInverse(g []float64, b, width int, lengths []float64) (inverse []float64, plain bool) {
	for j := range width {
		length := math.Sqrt(g[j*b+j])
		pivot := g[j*b+j]
		for i := range j {
			s := g[i*b+j]
			for t := range i {
				s -= g[t*b+i] * g[t*b+j]
			}
			g[i*b+j] = s / g[i*b+i]
			pivot -= g[i*b+j] * g[i*b+j]
		}
		root := math.Sqrt(max(pivot, 0))
		if !(root > plainPivot*length && root > shrunkenShare*lengths[j]) || math.IsInf(root, 1) {
			return nil, false
		}
		g[j*b+j] = root
	}
	inverse = make([]float64, b*b)
	for j := range width {
		inverse[j*b+j] = 1 / g[j*b+j]
		for i := j - 1; i >= 0; i-- {
			var s float64
			for t := i + 1; t <= j; t++ {
				s += g[i*b+t] * inverse[t*b+j]
			}
			inverse[i*b+j] = -s / g[i*b+i]
		}
	}
	return inverse, true
}

// orthonormalizeRows is orthonormalize for columns that hardly differ: one after the
// other, by Gram and Schmidt's products. A column that has lost all but rounding is
// dropped.
func (k *krylov) orthonormalizeRows(width int, lengths, r []float64) int {
	n, b := k.n, k.block
	w := k.spare[:width*n]
	for j := range width {
		for i := range n {
			w[j*n+i] = k.next[i*b+j]
		}
	}
	clear(r)
	kept := 0
	for j := range width {
		v := w[j*n : j*n+n]
		blas.OrthogonalizeRowsQR(w[:kept*n], v, r[j:], b)
		norm := math.Sqrt(blas.Dot(v, v))
		if !(norm > lostShare*lengths[j]) {
			continue
		}
		r[kept*b+j] = norm
		blas.Scale(1/norm, v)
		copy(w[kept*n:kept*n+n], v)
		kept++
	}
	clear(k.next)
	for j := range kept {
		for i, v := range w[j*n : j*n+n] {
			k.next[i*b+j] = v
		}
	}
	return kept
}

const (
	// looseness is how far from orthogonal two unit vectors of the basis may be. T has
	// eigenvalues exact to rounding up to a looseness of the root of that (Simon 1984);
	// the vectors need more.
	looseness = 1e-12
	// settlings bounds the rounds in which a block is made orthogonal: two leave rounding.
	settlings = 3
	// slight is how far from orthogonal a block may be that is orthonormal still after the
	// basis is taken from it: what its lengths lose is of the square.
	slight = 1e-8
)

// removeLocal takes from the next block its components along the deflated vectors and
// along the basis vectors from before on, and writes the lengths that its columns had.
// What it takes along the basis is entered in T, as the image of the block that starts at
// vector first; negative: it is not. The Gram matrix of what is left is kept for
// [krylov.orthonormalize].
func (k *krylov) removeLocal(before, first, width int, lengths []float64) {
	clear(lengths)
	take := func(a along) {
		k.take(a)
		for at, v := range a.c {
			lengths[at%k.block] += v * v
		}
	}
	// The inverse of a matrix magnifies what a null vector has left in the block by its
	// condition: once more, so that no rounding of that is left.
	for range 2 {
		if k.apart.size > 0 {
			null := along{q: &k.apart}
			k.measure(&null)
			take(null)
		}
	}
	local := along{q: &k.q, from: before / k.block}
	k.measure(&local)
	take(local)
	if first >= 0 {
		k.record(local.c, width, first)
	}
	k.rest = k.gram()
	for j := range width {
		lengths[j] = math.Sqrt(lengths[j] + k.rest[j*k.block+j])
	}
}

// settle measures the leading columns of the next block, orthonormal among themselves,
// against the deflated vectors and the whole basis, and takes away what they have in
// common where that is more than looseness. coupling holds them in the width columns that
// the operator made; it and T are kept true. It returns how many columns are left.
func (k *krylov) settle(first, columns, width int, coupling []float64) int {
	b := k.block
	unit, again := make([]float64, b), make([]float64, b*b)
	for j := range unit {
		unit[j] = 1
	}
	for range settlings {
		if columns == 0 {
			break
		}
		var worst float64
		if k.apart.size > 0 {
			null := along{q: &k.apart}
			k.measure(&null)
			k.take(null)
			worst = largestIn(null.c, b, columns)
		}
		all := along{q: &k.q, c: k.measured}
		k.measure(&all)
		k.measured = all.c
		worst = max(worst, largestIn(all.c, b, columns))
		if worst <= looseness {
			break
		}
		k.take(all)
		if first >= 0 {
			k.record(blockTimes(all.c, coupling, b), width, first)
		}
		if worst <= slight {
			break
		}
		columns = k.orthonormalize(columns, unit, again)
		copy(coupling, blockTimes(again, coupling, b))
	}
	return columns
}

// largestIn is the largest entry in size of the leading columns of rows of b numbers; what
// is not a number counts as infinite.
func largestIn(c []float64, b, columns int) float64 {
	var worst float64
	for at, v := range c {
		if at%b >= columns {
			continue
		}
		if v = math.Abs(v); !(v <= worst) {
			if worst = v; math.IsNaN(v) {
				return math.Inf(1)
			}
		}
	}
	return worst
}

// blockTimes is the product of rows of b numbers with a b × b matrix.
func blockTimes(c, r []float64, b int) []float64 {
	out := make([]float64, len(c))
	for i := 0; i < len(c); i += b {
		for t, v := range c[i : i+b] {
			for j, w := range r[t*b : t*b+b] {
				out[i+j] += v * w
			}
		}
	}
	return out
}

// record adds the coefficients, one row for each basis vector, of the block that starts
// at basis vector first to the lower triangle of T = QᵀMQ.
func (k *krylov) record(c []float64, width, first int) {
	for i := range k.q.size {
		for j, v := range c[i*k.block : i*k.block+width] {
			switch {
			case i < first:
				k.t[(first+j)*k.room+i] += v
			case i >= first+j:
				k.t[i*k.room+first+j] += v
			}
		}
	}
}

// enterWhole makes the next block orthonormal to the basis and adds it, with as many columns as it has lanes: those that depend on others are replaced by random ones.
// clean is called before the block is measured.
func (k *krylov) enterWhole(clean func()) error {
	b := k.block
	lengths, coupling := make([]float64, b), make([]float64, b*b)
	for range redraws {
		clean()
		k.removeLocal(0, -1, b, lengths)
		width := k.orthonormalize(b, lengths, coupling)
		if width = k.settle(-1, width, b, coupling); width == b {
			k.enter(b)
			return nil
		}
		if k.due != nil {
			k.own.strips(k.due)
			k.due = nil
		}
		for at := 0; at < len(k.next); at += b {
			k.random.Normals(k.next[at+width : at+b])
		}
	}
	return errVanished
}
