package samples

import "github.com/orthant-go/orthant/engine/internal/magnitude"

// FirstNegative finds the first negative entry, row by row; row −1: none. The
// value is in the unit of the data, even if they were divided.
func (x Samples) FirstNegative() (row, col int, value float64) {
	if x.compressed != nil {
		for i := range x.n {
			cols, vals := x.compressed.Row(i)
			for q, v := range vals {
				if v < 0 {
					return i, int(cols[q]), magnitude.Times(v, x.exponent)
				}
			}
		}
		return -1, 0, 0
	}
	if x.single != nil {
		return x.firstSingle(func(v float64) bool { return v < 0 })
	}
	for at, v := range x.data {
		if v < 0 {
			return at / x.m, at % x.m, magnitude.Times(v, x.exponent)
		}
	}
	return -1, 0, 0
}

// Shifted returns a copy of dense samples without negative entries, and what was
// subtracted from each column: its minimum if that is negative (columns), or the
// minimum of all entries (global).
func (x Samples) Shifted(how string) (shifted Samples, shift []float64) {
	if x.single != nil {
		x = x.widened(0)
	}
	shift = make([]float64, x.m)
	for i := range x.n {
		for j, v := range x.Row(i) {
			shift[j] = min(shift[j], v)
		}
	}
	if how == "global" {
		least := shift[0]
		for _, v := range shift {
			least = min(least, v)
		}
		for j := range shift {
			shift[j] = least
		}
	}
	shifted = Samples{n: x.n, m: x.m, data: make([]float64, x.n*x.m), labels: x.labels, numbers: x.numbers, exponent: x.exponent}
	for i := range x.n {
		to := shifted.Row(i)
		for j, v := range x.Row(i) {
			to[j] = v - shift[j]
		}
	}
	return shifted, shift
}
