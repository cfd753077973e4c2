package samples

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// Largest finds the entry that is largest in absolute value, the first on ties; row −1:
// all are zero. Entries must be finite.
func (x Samples) Largest() (row, col int, value float64) {
	if a := x.compressed; a != nil {
		row = -1
		for i := range x.n {
			cols, vals := a.Row(i)
			if at, size := magnitude.Largest(vals); at >= 0 && size > math.Abs(value) {
				row, col, value = i, int(cols[at]), vals[at]
			}
		}
		return row, col, value
	}
	if x.single != nil {
		return x.largestSingle()
	}
	at, _ := magnitude.Largest(x.data)
	if at < 0 {
		return -1, 0, 0
	}
	return at / x.m, at % x.m, x.data[at]
}

// ScaledDown returns the samples divided by 2^exponent, without a copy if exponent is 0.
// For compressed samples only the entries are copied.
func (x Samples) ScaledDown(exponent int) Samples {
	if exponent == 0 {
		return x
	}
	if a := x.compressed; a != nil {
		x.compressed = &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: magnitude.Scaled(-exponent, a.Val)}
	} else if x.single != nil {
		x = x.widened(exponent)
	} else {
		x.data = magnitude.Scaled(-exponent, x.data)
	}
	x.exponent += exponent
	return x
}

// Exponent returns the exponent of the power of two by which the samples were divided. It is 0 for
// samples derived from the data in other ways, such as centred ones and those scaled by
// column or to unit length.
func (x Samples) Exponent() int { return x.exponent }

// largestSingle is [Samples.Largest] of entries in float32.
func (x Samples) largestSingle() (row, col int, value float64) {
	place, most := -1, float32(0)
	for at, v := range x.single {
		if v = max(v, -v); v > most {
			place, most = at, v
		}
	}
	if place < 0 {
		return -1, 0, 0
	}
	return place / x.m, place % x.m, float64(x.single[place])
}

// widened returns a float64 copy of float32 samples, divided by 2^exponent.
func (x Samples) widened(exponent int) Samples {
	x.data = make([]float64, len(x.single))
	for i, v := range x.single {
		x.data[i] = magnitude.Times(float64(v), -exponent)
	}
	x.single = nil
	return x
}
