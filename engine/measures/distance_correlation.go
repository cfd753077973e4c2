package measures

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

const (
	correlatedPairs = 500_000 // maximal number of compared pairs
	drawnPairs      = 4096    // pairs from one stream
)

// DistanceCorrelation returns Spearman's rank correlation of the distances of pairs in the data x and in
// an embedding y: 1 if the order of all distances is preserved, about 0 if they are unrelated.
// (Székely's distance correlation is another measure.) Equal distances
// have the mean of their ranks.
//
// All pairs of up to 1000 samples count; for more samples, 500 000 pairs are drawn from streams of the seed.
//
// x is n × m and y n × d. It returns an error if the numbers of rows differ, for values that are not
// finite, fewer than 3 samples, distances that are all equal, and a cancelled context. Time is O(m + d) for each pair
// plus sorting; memory is about 20 MiB.
func DistanceCorrelation(ctx context.Context, x, y mat.Matrix, seed uint64, o Options) (float64, error) {
	const measure = "distance-correlation"
	data, shown, err := readMap(measure, x, y)
	if err != nil {
		return 0, err
	}
	if data.N < 3 {
		return 0, fmt.Errorf("%s: the number of samples is %d; give at least 3", measure, data.N)
	}
	apart, shownApart, err := pairDistances(ctx, o.Threads, tame(data)[0], tame(shown)[0], seed)
	if err != nil {
		return 0, err
	}
	first, second := ranks(apart), ranks(shownApart)
	var c correlation
	for q, r := range first {
		c.add(r, second[q])
	}
	r, ok := c.value()
	if !ok {
		return 0, fmt.Errorf("%s: all distances in the data, or all in the embedding, are equal; there is nothing to compare", measure)
	}
	return r, ctx.Err()
}

// pairDistances returns the squared distances of the same pairs in both.
func pairDistances(ctx context.Context, threads int, data, shown blas.Rows, seed uint64) (apart, shownApart []float64, err error) {
	n, count := data.N, correlatedPairs
	all := n <= count && n*(n-1)/2 <= count
	if all {
		count = n * (n - 1) / 2
	}
	apart, shownApart = make([]float64, count), make([]float64, count)
	measure := func(at, i, j int) {
		apart[at] = blas.SquaredDistance(data.Row(i), data.Row(j))
		shownApart[at] = blas.SquaredDistance(shown.Row(i), shown.Row(j))
	}
	if all {
		err = blas.For(ctx, threads, n, tileRows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				for j := range i {
					measure(i*(i-1)/2+j, i, j)
				}
			}
		})
		return apart, shownApart, err
	}
	err = blas.For(ctx, threads, count, drawnPairs, func(_, lo, hi int) {
		stream := blas.NewStream(seed ^ uint64(lo)<<20)
		for at := lo; at < hi; at++ {
			i := stream.Below(n)
			measure(at, i, skipping(stream.Below(n-1), i, i))
		}
	})
	return apart, shownApart, err
}

// ranks returns the ranks of the numbers, from 1; equal numbers have the mean of their ranks.
func ranks(x []float64) []float64 {
	order := make([]int32, len(x))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	r := make([]float64, len(x))
	for first := 0; first < len(x); {
		end := first + 1
		for end < len(x) && x[order[end]] == x[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			r[i] = float64(first+end+1) / 2
		}
		first = end
	}
	return r
}
