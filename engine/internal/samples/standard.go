package samples

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Standards are the ways to standardise samples, in the order in which model files number
// them. The first leaves them as they are.
var Standards = []string{"none", "standard", "minmax", "unit", "robust", "log1p"}

// Standard is a way to bring columns, samples or entries to a common scale. The ways by
// columns take Center off each and divide it by Spread, which are of the samples of the
// fit: standard by the mean and the standard deviation (divisor n), minmax by the least
// value and the range, robust by the median and the distance of the quartiles. A column
// that is constant has the spread 1. unit divides a sample by its length, and log1p takes
// log(1 + v) of every entry. Entries that are NaN count for nothing and stay.
type Standard struct {
	How            string
	Center, Spread []float64 // by columns; else nil
}

// ByColumns tells whether a way takes something off every column, which fills the zeros of
// sparse samples.
func ByColumns(how string) bool {
	return slices.Contains([]string{"standard", "minmax", "robust"}, how)
}

// Signed tells whether a way makes negative entries of samples that have none.
func Signed(how string) bool { return how == "standard" || how == "robust" }

// Scale standardises one sample in its place; an entry that has no logarithm becomes an
// infinity or NaN.
func (s Standard) Scale(row []float64) {
	switch s.How {
	case "unit":
		toUnit(row)
	case "log1p":
		for j, v := range row {
			row[j] = math.Log1p(v)
		}
	default:
		for j, c := range s.Center {
			row[j] = (row[j] - c) / s.Spread[j]
		}
	}
}

// toUnit divides entries by the root of the sum of their squares; zeros stay.
func toUnit(row []float64) {
	var largest, sum float64
	for _, v := range row {
		if v == v {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 || math.IsInf(largest, 0) {
		return
	}
	for _, v := range row {
		if v /= largest; v == v {
			sum += v * v
		}
	}
	length := math.Sqrt(sum)
	for j, v := range row {
		row[j] = v / largest / length
	}
}

// ScaleCompressed standardises compressed rows in their place, by a way that leaves zeros
// what they are.
func (s Standard) ScaleCompressed(a *sparse.CSR) {
	for i := range a.Rows {
		_, vals := a.Row(i)
		s.Scale(vals)
	}
}

// Standardized returns the samples as a way makes them, in a copy or, with overwrite, in
// their own storage. Samples in float32 stay so, and are rounded to it.
func (x Samples) Standardized(ctx context.Context, threads int, s Standard, overwrite bool) (Samples, error) {
	if a := x.compressed; a != nil {
		if !overwrite {
			own := *a
			own.Val = slices.Clone(a.Val)
			x.compressed = &own
		}
		s.ScaleCompressed(x.compressed)
		return x, ctx.Err()
	}
	from := x
	if !overwrite && x.single != nil {
		x.single = make([]float32, len(x.single))
	} else if !overwrite {
		x.data = make([]float64, len(x.data))
	}
	return x, blas.For(ctx, threads, x.n, unitRows, func(_, lo, hi int) {
		room := x.wideRow()
		for i := lo; i < hi; i++ {
			if x.single == nil {
				copy(x.Row(i), from.Row(i))
				s.Scale(x.Row(i))
				continue
			}
			s.Scale(from.wide(i, room))
			for j, v := range room {
				x.single[i*x.m+j] = float32(v)
			}
		}
	})
}

// BelowLog finds the first entry of which log1p takes no logarithm; row −1: there is none.
func (x Samples) BelowLog() (row, col int, value float64) {
	below := func(v float64) bool { return v <= -1 }
	if x.compressed != nil {
		for i := range x.n {
			cols, vals := x.compressed.Row(i)
			for q, v := range vals {
				if below(v) {
					return i, int(cols[q]), v
				}
			}
		}
		return -1, 0, 0
	}
	if x.single != nil {
		return x.firstSingle(below)
	}
	for at, v := range x.data {
		if below(v) {
			return at / x.m, at % x.m, v
		}
	}
	return -1, 0, 0
}

// CheckStandard refuses a way that was read from a file.
func CheckStandard(s Standard, columns int) error {
	if ByColumns(s.How) != (s.Center != nil) || s.Center != nil && (len(s.Center) != columns || len(s.Spread) != columns) {
		return fmt.Errorf("its standardisation by %s is not one of %d columns", s.How, columns)
	}
	for _, v := range s.Spread {
		if !(v > 0) {
			return fmt.Errorf("its standardisation divides by %v", v)
		}
	}
	return nil
}
