package samples

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// standardRows is the number of samples whose sums are taken together: it is part of the
// definition, since it decides how they are rounded.
const standardRows = 1024

// StandardBytes is what finding a way by columns takes beside the samples.
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

// inBlocks sums up so many numbers for each block of samples, and brings the blocks
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

// varies tells whether a spread is more than the rounding of the numbers that it is of.
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
	return x.data[i*x.m+j]
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

// Unequal tells how much the spreads of the columns differ: the largest standard deviation
// and the one that it is held against, each with its column. That is the least where there
// are few columns; of many, as pixels are, it is the lower quartile, as the weakest of them
// are background. Columns that are constant do not count. Some thousand samples are looked
// at, evenly over all. No columns: nothing can be told.
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
	const rounding = 1e-12 // beside the other columns
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
