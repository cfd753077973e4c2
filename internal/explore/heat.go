package explore

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/orderstat"
)

// Means returns for each group and each of some columns the mean of the group, less the mean of all samples, in standard
// deviations. The scale is the one that the samples were grouped in, where it changes the shape of a column: counts, log1p and
// unit; the others differ by a shift and a factor, which make no difference here, and asinh by the shape of the tails alone. A column
// without spread is 0. Groups are from 0; −1 counts for all samples alone. O(nm), or O(s) for s nonzero entries.
func Means(ctx context.Context, x mat.Matrix, how string, groups []int64, count int, columns []int) ([][]float64, error) {
	n, m := x.Dims()
	at := make([]int, m) // of a column among those that are asked for, from 1
	for k, j := range columns {
		at[j] = k + 1
	}
	mean, squares, stored := make([]float64, len(columns)), make([]float64, len(columns)), make([]int, len(columns))
	of := make([][]float64, count)
	for g := range of {
		of[g] = make([]float64, len(columns))
	}
	sizes := make([]int, count)
	r := rowsOf(x)
	typical, err := medianTotal(ctx, r, n, how)
	if err != nil {
		return nil, err
	}
	scaled := func(i int, take func(k int, v float64)) {
		total, length := totalsOf(r, i)
		r.each(i, func(j int, v float64) {
			k := at[j] - 1
			if k < 0 || v == 0 {
				return
			}
			switch how {
			case "counts":
				v = math.Log1p(v / total * typical)
			case "log1p":
				v = math.Log1p(v)
			case "unit":
				v /= length
			}
			take(k, v)
		})
	}
	for i := range n {
		if i%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		g := groups[i]
		if g >= 0 {
			sizes[g]++
		}
		scaled(i, func(k int, v float64) {
			mean[k] += v / float64(n)
			stored[k]++
			if g >= 0 {
				of[g][k] += v
			}
		})
	}
	for i := range n {
		if i%checkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		scaled(i, func(k int, v float64) { squares[k] += float64((v - mean[k]) * (v - mean[k])) })
	}
	for k := range columns {
		squares[k] += float64(float64(n-stored[k]) * mean[k] * mean[k]) // of the zeros
		spread := math.Sqrt(squares[k] / float64(n))
		for g := range of {
			if of[g][k] = (of[g][k]/float64(max(sizes[g], 1)) - mean[k]) / spread; spread <= rounding*math.Abs(mean[k]) || sizes[g] == 0 {
				of[g][k] = 0
			}
		}
	}
	return of, nil
}

// totalsOf are the sum and the length of a sample.
func totalsOf(r *rows, i int) (total, length float64) {
	r.each(i, func(_ int, v float64) {
		total += v
		length += float64(v * v)
	})
	return total, math.Sqrt(length)
}

// medianTotal is the median of the sums of the samples that are not all zero, of counts.
func medianTotal(ctx context.Context, r *rows, n int, how string) (float64, error) {
	if how != "counts" {
		return 1, nil
	}
	var totals []float64
	for i := range n {
		if total, _ := totalsOf(r, i); total > 0 {
			totals = append(totals, total)
		}
	}
	if len(totals) == 0 {
		return 1, ctx.Err()
	}
	return orderstat.Median(totals), ctx.Err()
}
