package exemplars

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// blockRows is the number of samples that a worker takes at a time.
const blockRows = 128

// Farthest appends to the samples chosen, until there are count of them, each time
// the one whose nearest chosen sample is farthest by Euclidean distance, the lower
// index on ties; with none chosen it begins with sample 0. count must be at most n.
// O(n m) for each sample, those chosen before included.
func Farthest(ctx context.Context, threads int, x blas.Rows, chosen []int, count int) ([]int, error) {
	if len(chosen) >= count {
		return chosen, nil
	}
	near := make([]float64, x.N) // squared distance to the nearest chosen one; −1: chosen
	for i := range near {
		near[i] = math.Inf(1)
	}
	for at := 0; ; at++ {
		if at == len(chosen) {
			chosen = append(chosen, largestEntry(near))
		}
		from := chosen[at]
		near[from] = -1
		if len(chosen) == count {
			return chosen, nil
		}
		err := blas.For(ctx, threads, x.N, blockRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				if near[i] >= 0 {
					near[i] = min(near[i], blas.SquaredDistance(x.Row(i), x.Row(from)))
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
}

// largestEntry is the first index of the largest entry; NaN never wins.
func largestEntry(v []float64) int {
	best, at := math.Inf(-1), 0
	for i, t := range v {
		if t > best {
			best, at = t, i
		}
	}
	return at
}
