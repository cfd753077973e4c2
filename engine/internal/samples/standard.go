package samples

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Standards are the ways to standardise samples, in the order of their numbers in model files.
// The first changes nothing.
var Standards = []string{"none", "standard", "minmax", "unit", "robust", "log1p", "counts", "asinh"}

// Standard brings columns, samples or entries to a common scale. Ways by column subtract Center
// and divide by Spread, computed from the samples of the fit: standard uses the mean and the
// standard deviation (divisor n), minmax the minimum and the range, robust the median and the
// interquartile range. A constant column has Spread 1. The way asinh takes the inverse hyperbolic
// sine of the same numbers as robust, which is linear near the median and a logarithm in both tails; a
// column with equal quartiles has the mean distance to its median as Spread. The way unit divides each sample by its
// length, and log1p replaces every entry v by log(1 + v). The way counts replaces it by log(1 + vT/t), with the
// sum t of its sample and the median T of these sums. NaN entries are ignored and
// stay NaN.
type Standard struct {
	How            string
	Center, Spread []float64 // for ways by column; for counts Spread is T alone; otherwise nil
}

// ByColumns reports whether a way subtracts a number from every column, which fills the zeros of
// sparse samples.
func ByColumns(how string) bool {
	return slices.Contains([]string{"standard", "minmax", "robust", "asinh"}, how)
}

// Signed reports whether a way can make entries of nonnegative samples negative.
func Signed(how string) bool { return how == "standard" || how == "robust" || how == "asinh" }

// Scale standardises one sample in place. An entry without a logarithm becomes infinite or NaN.
func (s Standard) Scale(row []float64) {
	switch s.How {
	case "unit":
		toUnit(row)
	case "log1p":
		for j, v := range row {
			row[j] = math.Log1p(v)
		}
	case "counts":
		s.scaleCounts(row)
	case "asinh":
		for j, c := range s.Center {
			row[j] = math.Asinh((row[j] - c) / s.Spread[j])
		}
	default:
		for j, c := range s.Center {
			row[j] = (row[j] - c) / s.Spread[j]
		}
	}
}

// scaleCounts replaces the counts of a sample; a sample of zeros stays zero, and a negative entry becomes NaN.
func (s Standard) scaleCounts(row []float64) {
	sum := PositiveSum(row)
	for j, v := range row {
		switch {
		case v < 0:
			row[j] = math.NaN()
		case v > 0:
			row[j] = math.Log1p(v / sum * s.Spread[0])
		}
	}
}

// PositiveSum returns the sum of the entries > 0 of a sample.
func PositiveSum(row []float64) (sum float64) {
	for _, v := range row {
		if v > 0 {
			sum += v
		}
	}
	return sum
}

// toUnit divides a row by its Euclidean norm; a zero row stays zero.
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

// ScaleCompressed standardises compressed rows in place, by a way that keeps zeros.
func (s Standard) ScaleCompressed(a *sparse.CSR) {
	for i := range a.Rows {
		_, vals := a.Row(i)
		s.Scale(vals)
	}
}

// Standardized returns the standardised samples, in a copy or, with overwrite, in
// their own storage. Samples in float32 stay in float32.
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

// Outside finds the first entry for which a way is undefined: v ≤ −1 for log1p, v < 0 for counts; row −1: none.
func (x Samples) Outside(how string) (row, col int, value float64) {
	below := func(v float64) bool { return Undefined(how, v) }
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

// Undefined reports whether a way has no value for an entry.
func Undefined(how string, v float64) bool {
	return how == "log1p" && v <= -1 || how == "counts" && v < 0
}

// CheckStandard returns an error for an invalid standardisation in a file.
func CheckStandard(s Standard, columns int) error {
	if ByColumns(s.How) != (s.Center != nil) || s.Center != nil && (len(s.Center) != columns || len(s.Spread) != columns) {
		return fmt.Errorf("its standardisation by %s is not one of %d columns", s.How, columns)
	}
	if s.How == "counts" && len(s.Spread) != 1 {
		return fmt.Errorf("its standardisation by counts has %d sums", len(s.Spread))
	}
	for _, v := range s.Spread {
		if !(v > 0) {
			return fmt.Errorf("its standardisation divides by %v", v)
		}
	}
	return nil
}

// standardRows is the number of samples summed together. It is part of the
// definition, because it determines the rounding.
const standardRows = 1024

// StandardBytes returns the memory of [Samples.StandardOf] in addition to the samples.
func (x Samples) StandardBytes(how string, threads int) int64 {
	switch {
	case how == "counts":
		return 8 * int64(x.n)
	case !ByColumns(how):
		return 0
	case how == "robust" || how == "asinh":
		return 8 * int64(x.n) * int64(blas.Threads(threads))
	}
	return 8 * 3 * int64(x.m) * int64(x.n/standardRows+1)
}

// StandardOf computes a standardisation from the samples. Entries are finite or NaN.
func (x Samples) StandardOf(ctx context.Context, threads int, how string) (Standard, error) {
	s := Standard{How: how}
	var err error
	switch how {
	case "standard":
		s.Center, s.Spread, err = x.meansAndDeviations(ctx, threads)
	case "minmax":
		s.Center, s.Spread, err = x.ranges(ctx, threads)
	case "robust":
		s.Center, s.Spread, err = x.quartiles(ctx, threads, false)
	case "asinh":
		s.Center, s.Spread, err = x.quartiles(ctx, threads, true)
	case "counts":
		s.Spread, err = x.medianSum(ctx, threads)
	}
	return s, err
}

// inBlocks computes a vector of sums for each block of samples, and joins those of the blocks in
// order.
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

// wideRow returns the scratch space for wide; nil: none is needed.
func (x Samples) wideRow() []float64 {
	if x.single == nil {
		return nil
	}
	return make([]float64, x.m)
}

// wide returns sample i in float64, converted to room if it is stored in float32.
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

// meansAndDeviations returns the mean and the standard deviation of every column, in two passes:
// the second corrects the mean and sums the squared deviations.
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
		if largest := off[2*m+j]; varies(largest, mean[j]) && deviation[j] < 1e-150 { // its squares underflow
			deviation[j] = largest / 2
		}
		mean[j] += correction
		deviation[j] = spreadOr1(deviation[j], mean[j])
	}
	return mean, deviation, nil
}

// varies reports whether a spread exceeds the rounding of numbers of the given size.
func varies(spread, size float64) bool {
	const rounding = 0x1p-50
	return spread > rounding*math.Abs(size)
}

// spreadOr1 returns the spread of a column, or 1 if the column is constant.
func spreadOr1(spread, size float64) float64 {
	if !varies(spread, size) {
		return 1
	}
	return spread
}

// ranges returns the minimum and the range of every column.
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

// medianSum returns the median of the sums of the samples that are not all zero, 1 if all are.
func (x Samples) medianSum(ctx context.Context, threads int) ([]float64, error) {
	sums := make([]float64, x.n)
	err := blas.For(ctx, threads, x.n, unitRows, func(_, lo, hi int) {
		room := x.wideRow()
		for i := lo; i < hi; i++ {
			if x.compressed != nil {
				_, vals := x.compressed.Row(i)
				sums[i] = PositiveSum(vals)
			} else {
				sums[i] = PositiveSum(x.wide(i, room))
			}
		}
	})
	return []float64{MedianSum(sums)}, err
}

// MedianSum returns the median of the sums > 0 in a list, which it reorders; 1: none.
func MedianSum(sums []float64) float64 {
	sums = slices.DeleteFunc(sums, func(v float64) bool { return v == 0 })
	if len(sums) == 0 {
		return 1
	}
	slices.Sort(sums)
	return quantile(sums, 0.5)
}

// quartiles returns the median and the interquartile range of every column, interpolated between
// order statistics. instead: if the quartiles are equal, the mean distance to the median replaces their distance.
func (x Samples) quartiles(ctx context.Context, threads int, instead bool) (median, distance []float64, err error) {
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
		spread := quantile(column, 0.75) - quantile(column, 0.25)
		if instead && !varies(spread, median[j]) {
			spread = 0
			for _, v := range column {
				spread += math.Abs(v-median[j]) / float64(len(column))
			}
		}
		distance[j] = spreadOr1(spread, median[j])
	})
	return median, distance, err
}

// entry returns an entry of dense samples.
func (x Samples) entry(i, j int) float64 {
	if x.single != nil {
		return float64(x.single[i*x.m+j])
	}
	return x.Row(i)[j]
}

// quantile returns a quantile of ascending numbers, linearly interpolated.
func quantile(ascending []float64, q float64) float64 {
	place := q * float64(len(ascending)-1)
	at := int(place)
	if at+1 >= len(ascending) {
		return ascending[len(ascending)-1]
	}
	return ascending[at] + (place-float64(at))*(ascending[at+1]-ascending[at])
}

// Unequal compares the spreads of the columns: it returns the largest standard deviation
// and a reference, each with its column. The reference is the smallest standard deviation, or, if there
// are many columns, such as pixels, the lower quartile, because the weakest of those
// are background. Constant columns are ignored. It examines a few thousand
// evenly spaced samples. The columns are −1 if nothing is known.
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
