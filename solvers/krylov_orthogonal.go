package solvers

import "math"

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
// vector first; negative: it is none. The Gram matrix of what is left is kept for
// [krylov.orthonormalize].
func (k *krylov) removeLocal(before, first, width int, lengths []float64) {
	clear(lengths)
	take := func(q *krylovBasis, from int) []float64 {
		if q.size == 0 {
			return nil
		}
		c := q.coefficients(from, k.next, nil)
		q.subtract(from, c, k.next)
		for at, v := range c {
			lengths[at%k.block] += v * v
		}
		return c
	}
	// The inverse of a matrix magnifies what a null vector has left in the block by its
	// condition: once more, so that no rounding of that is left.
	take(&k.apart, 0)
	take(&k.apart, 0)
	c := take(&k.q, before/k.block)
	if first >= 0 {
		k.record(c, width, first)
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
			c := k.apart.coefficients(0, k.next, nil)
			worst = largestIn(c, b, columns)
			k.apart.subtract(0, c, k.next)
		}
		c := k.measured
		if k.q.size > 0 {
			c = k.q.coefficients(0, k.next, c)
			k.measured = c
			worst = max(worst, largestIn(c, b, columns))
		}
		if worst <= looseness {
			break
		}
		if k.q.size > 0 {
			k.q.subtract(0, c, k.next)
			if first >= 0 {
				k.record(blockTimes(c, coupling, b), width, first)
			}
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
