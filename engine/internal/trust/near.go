package trust

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// blockOf is the number of samples that a worker compares at a time.
const blockOf = 256

// beyond returns for each sample the share of its listed neighbours that other lists do not reach in two
// steps: that are neither neighbours there nor neighbours of those. NaN: a sample has no neighbours.
func beyond(ctx context.Context, threads int, of, there *neighbors.Graph) ([]float32, error) {
	n := of.Len()
	share := make([]float32, n)
	seen := make([][]int32, blas.Threads(threads))
	err := blas.For(ctx, threads, n, blockOf, func(w, lo, hi int) {
		if seen[w] == nil {
			seen[w] = make([]int32, n) // 1 + the last sample from which each was reached
		}
		mark := seen[w]
		for i := lo; i < hi; i++ {
			at := int32(i) + 1
			for _, j := range there.Of(i) {
				mark[j] = at
				for _, l := range there.Of(int(j)) {
					mark[l] = at
				}
			}
			list, far := of.Of(i), 0
			for _, j := range list {
				if mark[j] != at {
					far++
				}
			}
			share[i] = float32(math.NaN())
			if len(list) > 0 {
				share[i] = float32(far) / float32(len(list))
			}
		}
	})
	return share, err
}

// Far returns for each sample of a map the share of its nearest that two steps in another map of the same samples do not reach.
func Far(in patch.Local, y, other *mat.Dense, k int) ([]float32, error) {
	of, err := search(in, y, k)
	if err != nil {
		return nil, err
	}
	there, err := search(in, other, k)
	if err != nil {
		return nil, err
	}
	return beyond(in.Context(), in.Threads(), of, there)
}

// Mean averages the numbers that are known.
func Mean(values []float32) float64 {
	var sum, count float64
	for _, v := range values {
		if v == v {
			sum, count = sum+float64(v), count+1
		}
	}
	return sum / count
}
