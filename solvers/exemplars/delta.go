package exemplars

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// leastDelta is the least weight that [AutoDelta] returns: D with equal columns, where
// any would do, must not be divided by zero.
const leastDelta = 1e-8

// AutoDelta returns the mean over the columns of D of the weight δ with which
// [projections.Quadratic] has exactly k nonzero entries: with a column's entries
// ascending, k·d₍k+1₎ − Σ d₍q₎ over q ≤ k. 1 ≤ k < n. O(n²).
func AutoDelta(ctx context.Context, d Dissimilarities, k, threads int) (float64, error) {
	n := d.Order()
	each := make([]float64, n)
	type scratch struct {
		selector
		columns []float64
	}
	workers := make([]scratch, blas.Threads(threads))
	err := blas.For(ctx, threads, n, columnBlock, func(worker, lo, hi int) {
		w := &workers[worker]
		if w.columns == nil {
			w.columns = make([]float64, columnBlock*n)
		}
		d.Columns(lo, hi, w.columns)
		for j := lo; j < hi; j++ {
			next := w.smallest(w.columns[(j-lo)*n:(j-lo+1)*n], -1, k+1)
			for _, v := range w.kept[:k] {
				each[j] += next - v
			}
		}
	})
	var sum float64
	for _, v := range each {
		sum += v
	}
	return max(sum/float64(n), leastDelta), err
}
