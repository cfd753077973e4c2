package samples

import "math"

// FirstInfinite finds the first entry that is infinite; row −1: there is none.
func (x Samples) FirstInfinite() (row, col int, value float64) {
	row, col, value = x.Largest()
	if !math.IsInf(value, 0) {
		return -1, 0, 0
	}
	return row, col, value
}

// FirstNotFinite finds the first entry that is NaN or infinite, row by row; row −1:
// there is none.
func (x Samples) FirstNotFinite() (row, col int, value float64) {
	if x.compressed != nil {
		for i := range x.n {
			cols, vals := x.compressed.Row(i)
			for q, v := range vals {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return i, int(cols[q]), v
				}
			}
		}
		return -1, 0, 0
	}
	if x.single != nil {
		return x.firstSingle(func(v float64) bool { return v-v != 0 })
	}
	for at, v := range x.data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return at / x.m, at % x.m, v
		}
	}
	return -1, 0, 0
}
