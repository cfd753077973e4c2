package bandwidth

import "math"

// Root returns the zero of an increasing function between two bounds, of which the upper may be infinite. It
// makes Newton steps from x, and halves or doubles when these leave the bounds, until no number lies between.
func Root(lo, hi, x float64, f func(x float64) (value, slope float64)) float64 {
	for range 300 {
		value, slope := f(x)
		if value > 0 {
			hi = x
		} else {
			lo = x
		}
		next := x - value/slope
		if !(next > lo && next < hi) {
			if next = lo + (hi-lo)/2; math.IsInf(hi, 1) {
				next = 2 * x
			}
		}
		if next == x || next == lo || next == hi || math.IsInf(next, 1) {
			break
		}
		x = next
	}
	return x
}
