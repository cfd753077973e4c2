package projections

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// scanWidth is how many groups a worker scans together: their sums stay in the
// first-level cache while the rows stream by.
const scanWidth = 256

// measure finds the norms of the groups, and what scan finds for p = ∞.
func (g *Groups) measure(ctx context.Context, rows, groups int, a []float64) error {
	g.Steps++
	return blas.For(ctx, g.Threads, groups, scanWidth, func(_, lo, hi int) {
		top := g.top[lo:hi]
		clear(top)
		if g.Norm == Max {
			g.tangents(lo, hi, rows, groups, a, func(row, bound, sum, count []float64) {
				top, sum, count := top[:len(bound)], sum[:len(bound)], count[:len(bound)]
				for i, m := range bound {
					v := math.Abs(row[i])
					if v > top[i] {
						top[i] = v
					}
					if v > m {
						sum[i] += v
						count[i]++
					}
				}
			})
			return
		}
		for j := range rows {
			row := a[j*groups+lo : j*groups+hi]
			row = row[:len(top)]
			for i, v := range row {
				top[i] += v * v
			}
		}
		for i, v := range top {
			top[i] = math.Sqrt(v)
		}
	})
}

// scan finds the tangent of each fᵢ at its cap: fᵢ(m) ≥ sumᵢ − countᵢ·m. Where no entry
// is above the cap, the largest alone gives one.
func (g *Groups) scan(ctx context.Context, rows, groups int, a []float64) error {
	g.Steps++
	return blas.For(ctx, g.Threads, groups, scanWidth, func(_, lo, hi int) {
		g.tangents(lo, hi, rows, groups, a, func(row, bound, sum, count []float64) {
			sum, count = sum[:len(bound)], count[:len(bound)]
			for i, m := range bound {
				if v := math.Abs(row[i]); v > m {
					sum[i] += v
					count[i]++
				}
			}
		})
	})
}

// tangents adds up the rows of some groups by the given function.
func (g *Groups) tangents(lo, hi, rows, groups int, a []float64, add func(row, bound, sum, count []float64)) {
	bound, sum, count := g.bound[lo:hi], g.sum[lo:hi], g.count[lo:hi]
	clear(sum)
	clear(count)
	for j := range rows {
		row := a[j*groups+lo : j*groups+hi]
		add(row[:len(bound)], bound, sum, count)
	}
	g.complete(lo, hi)
}

// complete gives groups without an entry above their cap the tangent of the largest.
func (g *Groups) complete(lo, hi int) {
	for i := lo; i < hi; i++ {
		if g.count[i] == 0 {
			g.sum[i], g.count[i] = g.top[i], 1
		}
	}
}
