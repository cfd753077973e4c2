package samples

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// FirstInfinite finds the first entry that is infinite; row −1: none.
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

// firstSingle finds the first entry in float32 that satisfies a condition; row −1: none.
func (x Samples) firstSingle(holds func(v float64) bool) (row, col int, value float64) {
	for at, v := range x.single {
		if v := float64(v); holds(v) {
			return at / x.m, at % x.m, v
		}
	}
	return -1, 0, 0
}

// NotNumbers returns the places of the NaN entries, and the first of them; row −1: there
// is none.
func (x Samples) NotNumbers() (places *sparse.CSR, row, col int) {
	places = &sparse.CSR{Rows: x.n, Cols: x.m, Ptr: make([]int, 1, x.n+1)}
	row = -1
	take := func(i, j int) {
		if row < 0 {
			row, col = i, j
		}
		places.Col, places.Val = append(places.Col, int32(j)), append(places.Val, 1)
	}
	for i := range x.n {
		if x.single != nil {
			for j, v := range x.singleRow(i) {
				if v != v {
					take(i, j)
				}
			}
		} else if x.compressed != nil {
			cols, vals := x.compressed.Row(i)
			for p, v := range vals {
				if math.IsNaN(v) {
					take(i, int(cols[p]))
				}
			}
		} else {
			for j, v := range x.Row(i) {
				if math.IsNaN(v) {
					take(i, j)
				}
			}
		}
		places.Ptr = append(places.Ptr, len(places.Col))
	}
	return places, row, col
}

// Zeroed returns the samples with zeros in some of their entries. It makes a copy if one of these was
// not zero. where returns, for a row, the function that reports which columns become zero; it is
// called for ascending columns.
func (x Samples) Zeroed(where func(i int) func(j int) bool) Samples {
	copied := false
	zero := func(list *[]float64, at int) {
		if (*list)[at] == 0 {
			return
		}
		if !copied {
			*list, copied = slices.Clone(*list), true
		}
		(*list)[at] = 0
	}
	if x.compressed != nil {
		a := *x.compressed
		for i := range x.n {
			missing := where(i)
			for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
				if missing(int(a.Col[p])) {
					zero(&a.Val, p)
				}
			}
		}
		x.compressed = &a
		return x
	}
	for i := range x.n {
		missing := where(i)
		for j := range x.m {
			if missing(j) {
				zero(&x.data, i*x.m+j)
			}
		}
	}
	return x
}
