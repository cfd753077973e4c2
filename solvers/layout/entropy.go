package layout

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// CrossEntropy is what [UMAP] lowers, over all pairs of the n rows of y:
//
//	Σ over pairs of −v·log(q) − (1 − v)·log(1 − q),   q = 1/(1 + A·d^(2B)),
//
// with 1 − q no less than 1e-4, so that coinciding places count finitely. O(n² · columns).
func (c Curve) CrossEntropy(ctx context.Context, threads int, w *sparse.CSR, y *mat.Dense) (float64, error) {
	n, _ := y.Dims()
	const rows = 64
	sums := make([]float64, (n+rows-1)/rows)
	err := blas.For(ctx, threads, n, rows, func(_, lo, hi int) {
		weights := make([]float64, n)
		var sum float64
		for i := lo; i < hi; i++ {
			cols, vals := w.Row(i)
			for q, j := range cols {
				weights[j] = vals[q]
			}
			for j := range i {
				q := 1 / (1 + c.A*math.Pow(blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)), c.B))
				sum -= float64((1 - weights[j]) * math.Log(max(1-q, 1e-4)))
				if weights[j] > 0 {
					sum -= float64(weights[j] * math.Log(q))
				}
			}
			for _, j := range cols {
				weights[j] = 0
			}
		}
		sums[lo/rows] = sum
	})
	var total float64
	for _, s := range sums {
		total += s
	}
	return total, err
}
