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

// ByColumns reports whether a way takes something off every column, which fills the zeros of
// sparse samples.
func ByColumns(how string) bool {
	return slices.Contains([]string{"standard", "minmax", "robust"}, how)
}

// Signed reports whether a way makes negative entries of samples that have none.
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

// standardRows is the number of samples whose sums are taken together: it is part of the
// definition, since it decides how they are rounded.
const standardRows = 1024

// StandardBytes is what finding a way by columns takes in addition to the samples.
func (x Samples) StandardBytes(how string, threads int) int64 {
	switch {
	case !ByColumns(how):
		return 0
	case how == "robust":
		return 8 * int64(x.n) * int64(blas.Threads(threads))
	}
	return 8 * 3 * int64(x.m) * int64(x.n/standardRows+1)
}

// StandardOf finds a way to standardise. Entries are finite, or NaN.
func (x Samples) StandardOf(ctx context.Context, threads int, how string) (Standard, error) {
	s := Standard{How: how}
	var err error
	switch how {
	case "standard":
		s.Center, s.Spread, err = x.meansAndDeviations(ctx, threads)
	case "minmax":
		s.Center, s.Spread, err = x.ranges(ctx, threads)
	case "robust":
		s.Center, s.Spread, err = x.quartiles(ctx, threads)
	}
	return s, err
}

// inBlocks sums up this many numbers for each block of samples, and brings the blocks
// together in their order.
func (x Samples) inBlocks(ctx context.Context, threads, numbers int, take func(row, sums []float64), join func(all, part []float64)) ([]float64, error) {
	blocks := make([][]float64, (x.n+standardRows-1)/standardRows)
	err := blas.For(ctx, threads, x.n, standardRows, func(_, lo, hi int) {
		sums, room := make([]float64, numbers), x.wideRow()
		for i := lo; i < hi; i++ {
			take(x.wide(i, room), sums)
		}
		blocks[lo/standardRows] = sums
	})
	if err != nil {
		return nil, err
	}
	all := blocks[0]
	for _, part := range blocks[1:] {
		join(all, part)
	}
	return all, nil
}

// wideRow is the room that wide needs.
func (x Samples) wideRow() []float64 {
	if x.single == nil {
		return nil
	}
	return make([]float64, x.m)
}

// wide is sample i in float64, without a copy where it is so.
func (x Samples) wide(i int, room []float64) []float64 {
	if x.single == nil {
		return x.Row(i)
	}
	for j, v := range x.singleRow(i) {
		room[j] = float64(v)
	}
	return room
}

func added(all, part []float64) {
	for j, v := range part {
		all[j] += v
	}
}

// meansAndDeviations finds the mean and the standard deviation of every column: a first
// mean, and what the entries are off it, by which both are corrected.
func (x Samples) meansAndDeviations(ctx context.Context, threads int) (mean, deviation []float64, err error) {
	m := x.m
	sums, err := x.inBlocks(ctx, threads, 2*m, func(row, sums []float64) {
		for j, v := range row {
			if v == v {
				sums[j] += v
				sums[m+j]++
			}
		}
	}, added)
	if err != nil {
		return nil, nil, err
	}
	mean, counts := sums[:m], sums[m:]
	for j := range mean {
		mean[j] /= max(counts[j], 1)
	}
	off, err := x.inBlocks(ctx, threads, 3*m, func(row, sums []float64) {
		for j, v := range row {
			if d := v - mean[j]; d == d {
				sums[j] += d
				sums[m+j] += d * d
				sums[2*m+j] = max(sums[2*m+j], math.Abs(d))
			}
		}
	}, func(all, part []float64) {
		added(all[:2*m], part[:2*m])
		for j, v := range part[2*m:] {
			all[2*m+j] = max(all[2*m+j], v)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	deviation = make([]float64, m)
	for j := range mean {
		n := max(counts[j], 1)
		correction := off[j] / n
		deviation[j] = math.Sqrt(max(off[m+j]/n-correction*correction, 0))
		if largest := off[2*m+j]; varies(largest, mean[j]) && deviation[j] < 1e-150 { // its squares vanish
			deviation[j] = largest / 2
		}
		mean[j] += correction
		deviation[j] = spreadOr1(deviation[j], mean[j])
	}
	return mean, deviation, nil
}

// varies reports whether a spread is more than the rounding of the numbers that it is of.
func varies(spread, size float64) bool {
	const rounding = 0x1p-50
	return spread > rounding*math.Abs(size)
}

// spreadOr1 is the spread of a column, or 1 where the column is constant.
func spreadOr1(spread, size float64) float64 {
	if !varies(spread, size) {
		return 1
	}
	return spread
}

// ranges finds the least value of every column, and how far the largest is from it.
func (x Samples) ranges(ctx context.Context, threads int) (least, width []float64, err error) {
	m := x.m
	ends := make([][]float64, (x.n+standardRows-1)/standardRows)
	err = blas.For(ctx, threads, x.n, standardRows, func(_, lo, hi int) {
		part, room := make([]float64, 2*m), x.wideRow()
		for j := range m {
			part[j], part[m+j] = math.Inf(1), math.Inf(-1)
		}
		for i := lo; i < hi; i++ {
			for j, v := range x.wide(i, room) {
				if v < part[j] {
					part[j] = v
				}
				if v > part[m+j] {
					part[m+j] = v
				}
			}
		}
		ends[lo/standardRows] = part
	})
	if err != nil {
		return nil, nil, err
	}
	all := ends[0]
	for _, part := range ends[1:] {
		for j := range m {
			all[j], all[m+j] = min(all[j], part[j]), max(all[m+j], part[m+j])
		}
	}
	least, width = all[:m], all[m:]
	for j := range least {
		if least[j] > width[j] { // a column without a number
			least[j], width[j] = 0, 0
		}
		width[j] = spreadOr1(width[j]-least[j], least[j])
	}
	return least, width, nil
}

// quartiles finds the median of every column and the distance of its quartiles, between
// two values by their places.
func (x Samples) quartiles(ctx context.Context, threads int) (median, distance []float64, err error) {
	median, distance = make([]float64, x.m), make([]float64, x.m)
	scratch := make([][]float64, blas.Threads(threads))
	err = blas.For(ctx, threads, x.m, 1, func(worker, j, _ int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, 0, x.n)
		}
		column := scratch[worker][:0]
		for i := range x.n {
			if v := x.entry(i, j); v == v {
				column = append(column, v)
			}
		}
		if len(column) == 0 {
			distance[j] = 1
			return
		}
		slices.Sort(column)
		median[j] = quantile(column, 0.5)
		distance[j] = spreadOr1(quantile(column, 0.75)-quantile(column, 0.25), median[j])
	})
	return median, distance, err
}

// entry is one of dense samples.
func (x Samples) entry(i, j int) float64 {
	if x.single != nil {
		return float64(x.single[i*x.m+j])
	}
	return x.Row(i)[j]
}

// quantile is one of ascending numbers.
func quantile(ascending []float64, q float64) float64 {
	place := q * float64(len(ascending)-1)
	at := int(place)
	if at+1 >= len(ascending) {
		return ascending[len(ascending)-1]
	}
	return ascending[at] + (place-float64(at))*(ascending[at+1]-ascending[at])
}

// Unequal says how much the spreads of the columns differ: the largest standard deviation
// and the one that it is held against, each with its column. That is the least where there
// are few columns; of many, as pixels are, it is the lower quartile, as the weakest of them
// are background. Columns that are constant do not count. Some thousand samples are
// examined, evenly over all. Without columns nothing is known.
func (x Samples) Unequal() (largest, other float64, at, low int) {
	const few, rows = 50, 4096
	if x.compressed != nil || x.n < 2 {
		return 0, 0, -1, -1
	}
	step := max(1, x.n/rows)
	count := float64((x.n + step - 1) / step)
	mean, square := make([]float64, x.m), make([]float64, x.m)
	room := x.wideRow()
	for i := 0; i < x.n; i += step {
		for j, v := range x.wide(i, room) {
			mean[j] += v / count
		}
	}
	for i := 0; i < x.n; i += step {
		for j, v := range x.wide(i, room) {
			square[j] += (v - mean[j]) * (v - mean[j]) / count
		}
	}
	var order []int
	for j := range square {
		square[j] = math.Sqrt(square[j])
	}
	const rounding = 1e-12 // relative to the other columns
	least := rounding * slices.Max(square)
	for j := range square {
		if square[j] > least && varies(square[j], mean[j]) {
			order = append(order, j)
		}
	}
	if len(order) < 2 {
		return 0, 0, -1, -1
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case square[i] < square[j]:
			return -1
		case square[i] > square[j]:
			return 1
		}
		return 0
	})
	at, low = order[len(order)-1], order[0]
	if x.m > few {
		low = order[len(order)/4]
	}
	return square[at], square[low], at, low
}
