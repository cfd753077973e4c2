package projections

import "math"

// Simplex writes the point of {z ≥ 0, Σz = s}, s > 0, nearest to v to dst, which may
// be v, and returns the threshold θ: zᵢ = max(vᵢ − θ, 0). Sums are formed of
// differences to the largest entry, so that a common offset of v costs no digits.
// Expected O(n) (Michelot 1986). The entries of v must be finite; an s that is not
// above 0 gives zeros.
func Simplex(dst, v []float64, s float64) float64 {
	dst = dst[:len(v)]
	top := math.Inf(-1)
	for _, x := range v {
		top = max(top, x)
	}
	if !(s > 0) || len(v) == 0 {
		clear(dst)
		return top
	}
	var theta float64
	if &dst[0] == &v[0] {
		theta = scanThreshold(v, top, s)
	} else {
		count := 0
		for _, x := range v {
			if d := x - top; d > -s {
				dst[count] = d
				count++
			}
		}
		theta = threshold(dst[:count], s)
	}
	for i, x := range v {
		dst[i] = max(x-top-theta, 0)
	}
	return top + theta
}

// Quadratic writes the minimiser of dᵀz + (δ/2)‖z‖² on the unit simplex to dst, which
// may be d, and returns the multiplier ν of Σz = 1: zᵢ = max((ν − dᵢ)/δ, 0). δ > 0.
// Expected O(n).
func Quadratic(dst, d []float64, delta float64) float64 {
	dst = dst[:len(d)]
	for i, x := range d {
		dst[i] = -x
	}
	nu := -Simplex(dst, dst, delta)
	for i := range dst {
		dst[i] /= delta
	}
	return nu
}

// SimplexSparse appends the places and values of the nonzero entries of the
// projection of v on {z ≥ 0, Σz = s} to index and value; places ascend. guess lists
// places that are likely among them, such as the places for a vector nearby: the threshold
// of any subset of the entries is at most the threshold of all, so that entries below it are
// passed over unseen. One pass over v, and work on the few that are left; the result
// does not depend on guess but for rounding.
func SimplexSparse(v []float64, s float64, guess, index []int32, value []float64) ([]int32, []float64) {
	first := len(value)
	bottom := math.Inf(-1)
	if len(guess) > 0 {
		top := math.Inf(-1)
		for _, i := range guess {
			value = append(value, v[i])
			top = max(top, v[i])
		}
		some := value[first:]
		for i := range some {
			some[i] -= top
		}
		// The slack is for the rounding of θ: nothing of weight is lost without it.
		bottom = top + threshold(some, s) - 1e-12*s - 1e-15*math.Abs(top)
		value = value[:first]
	}
	top := math.Inf(-1)
	for i, x := range v {
		if x > bottom {
			index, value = append(index, int32(i)), append(value, x)
			if x > top {
				top, bottom = x, max(bottom, x-s)
			}
		}
	}
	kept := value[first:]
	for i := range kept {
		kept[i] -= top
	}
	at := index[len(index)-len(kept):]
	theta, count := pairThreshold(kept, at, s)
	for i := range count {
		kept[i] -= theta
	}
	return index[:len(index)-len(kept)+count], value[:first+count]
}

// threshold returns the root θ of Σ max(dᵢ − θ, 0) = s for numbers of which the
// largest is 0, and destroys them. It drops what is at or below the threshold of
// those left until none is: as the sum is convex in θ, these thresholds rise to the
// root. The largest is never dropped.
func threshold(d []float64, s float64) float64 {
	for {
		var sum float64
		for _, x := range d {
			sum += x
		}
		theta := (sum - s) / float64(len(d))
		count := 0
		for _, x := range d {
			if x > theta {
				d[count] = x
				count++
			}
		}
		if count == len(d) || count == 0 {
			return theta
		}
		d = d[:count]
	}
}

// pairThreshold is threshold with the places of the numbers moved along; it returns
// how many are above θ, which come to the front.
func pairThreshold(d []float64, at []int32, s float64) (theta float64, count int) {
	at = at[:len(d)]
	for {
		var sum float64
		for _, x := range d {
			sum += x
		}
		theta = (sum - s) / float64(len(d))
		count = 0
		for i, x := range d {
			if x > theta {
				d[count], at[count] = x, at[i]
				count++
			}
		}
		if count == len(d) || count == 0 {
			return theta, count
		}
		d, at = d[:count], at[:count]
	}
}

// scanThreshold is threshold of v − top without a place to move numbers to: the same
// sums in the same order. It ends as soon as θ does not rise, since rounding could let
// an entry back in that is at θ, and so on for ever.
func scanThreshold(v []float64, top, s float64) float64 {
	theta := -s
	for {
		var sum float64
		count := 0
		for _, x := range v {
			if d := x - top; d > theta {
				sum += d
				count++
			}
		}
		if count == 0 {
			return theta
		}
		next := (sum - s) / float64(count)
		if !(next > theta) {
			return next
		}
		theta = next
	}
}
