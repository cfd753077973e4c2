package solvers

import "math"

// nearest finds the nearest centre of sample i by its products with all, and bounds
// its distances from that and from the others.
func (r *refining) nearest(i int, products []float64) int32 {
	at, best, second := twoLeast(r.norms[:len(products)], products)
	best, second = best+r.own[i], second+r.own[i]
	loss := r.loss
	if second-best <= 4*loss && r.x.exact() { // rounding could decide
		best, second, at, loss = math.Inf(1), math.Inf(1), 0, 0
		for c := range r.clusters {
			d := r.x.square(i, r.center(c), 0)
			if d < best {
				best, second, at = d, best, c
			} else if d < second {
				second = d
			}
		}
	}
	if r.Iterations > 0 { // else no bound is asked for
		r.upper[i], r.lower[i] = math.Sqrt(max(best, 0)+loss), math.Sqrt(max(second-loss, 0))
	}
	return int32(at)
}

// twoLeast returns where n − 2p is least, the lower place on ties, that, and the next. Which of
// them is least cannot be foreseen, so it is found without a branch, by whole numbers in the order of the
// differences. None of these is −0, since no norm is.
func twoLeast(norms, products []float64) (at int, least, next float64) {
	a, b := int64(math.MaxInt64), int64(math.MaxInt64)
	for c, p := range products {
		v := ordered(norms[c] - 2*p)
		b = min(b, max(a, v))
		if v < a {
			at = c
		}
		a = min(a, v)
	}
	if b == math.MaxInt64 {
		return at, unordered(a), math.Inf(1)
	}
	return at, unordered(a), unordered(b)
}

// ordered are the bits of v as a whole number that grows with v, and unordered is the way back.
func ordered(v float64) int64 {
	bits := int64(math.Float64bits(v))
	return bits ^ int64(uint64(bits>>63)>>1)
}

func unordered(v int64) float64 { return math.Float64frombits(uint64(v ^ int64(uint64(v>>63)>>1))) }
