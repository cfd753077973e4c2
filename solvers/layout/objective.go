package layout

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// reports is the number of times that an objective is reported over a layout.
const reports = 20

// sumOf adds up n terms, by blocks of rows: their order does not depend on the number of threads.
func sumOf(ctx context.Context, threads, n int, term func(i int) float64) (float64, error) {
	parts := make([]float64, (n+layoutRows-1)/layoutRows)
	err := blas.For(ctx, threads, n, layoutRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			parts[lo/layoutRows] += term(i)
		}
	})
	var sum float64
	for _, part := range parts {
		sum += part
	}
	return sum, err
}

// due says whether an objective is reported after an iteration, from 1 on: reports of them over the layout
// and in the end.
func due(iteration, iterations int) bool {
	return iteration*reports/iterations != (iteration-1)*reports/iterations
}
