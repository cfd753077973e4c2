package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// residualSources bounds the number of samples whose distances to all others are used.
const residualSources = 400

// ResidualVariance returns the share of variance of the distances along the data x that the distances in an
// embedding y do not explain (Tenenbaum, de Silva and Langford 2000, note 42),
//
//	1 − R²,   R the correlation of the entries of the two n × n distance matrices,
//
// It is 0 if they are related linearly, and near 1 if they are unrelated.
// Distances along the data are the lengths of shortest paths over the edges from
// each sample to its k nearest neighbours; k = 0 uses straight distances, as the authors do for PCA and
// MDS. Pairs without a connecting path do not count. For more than 400 samples, 400 rows of the
// matrices, spread evenly, are used.
//
// x is n × m and y n × d. It returns an error if the numbers of rows differ, for values that are not
// finite, k outside 0 ≤ k < n, distances that are all equal, and a cancelled context. It costs
// an exact search (see [neighbors.Exact]) and 400 searches for paths.
func ResidualVariance(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	const measure = "residual-variance"
	data, shown, err := readMap(measure, x, y)
	if err != nil {
		return 0, err
	}
	n := data.N
	if k < 0 || k >= n {
		return 0, fmt.Errorf("%s: %d neighbours requested of %d samples; give a number from 1 to %d", measure, k, n, n-1)
	}
	if o, err = o.withDefaults(measure); err != nil {
		return 0, err
	}
	sources := make([]int, min(n, residualSources))
	for q := range sources {
		sources[q] = q * n / len(sources)
	}
	data, shown = tame(data)[0], tame(shown)[0]
	along := func(q, j int) float64 { return math.Sqrt(blas.SquaredDistance(data.Row(sources[q]), data.Row(j))) }
	if k > 0 {
		paths, err := pathsAlong(ctx, data, sources, k, o)
		if err != nil {
			return 0, err
		}
		along = paths.At
	}
	var c correlation
	for q, s := range sources {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for j := range n {
			if far := along(q, j); !math.IsInf(far, 1) {
				c.add(far, math.Sqrt(blas.SquaredDistance(shown.Row(s), shown.Row(j))))
			}
		}
	}
	r, ok := c.value()
	if !ok {
		return 0, fmt.Errorf("%s: all distances in the data, or all in the embedding, are equal; there is nothing to compare", measure)
	}
	return 1 - r*r, nil
}

// pathsAlong returns the lengths of shortest paths from some samples to all.
func pathsAlong(ctx context.Context, data blas.Rows, sources []int, k int, o Options) (*mat.Dense, error) {
	g, err := neighbors.Exact(ctx, neighbors.Points(data), k, neighbors.Options{Kernels: o.Kernels, Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	edges, err := g.Matrix()
	if err != nil {
		return nil, err
	}
	return sparse.ShortestPaths(ctx, edges, sources, sparse.PathOptions{Threads: o.Threads})
}

// correlation accumulates means and sums of products about them (Welford 1962).
type correlation struct {
	count, meanA, meanB, aa, bb, ab float64
}

func (c *correlation) add(a, b float64) {
	c.count++
	da, db := a-c.meanA, b-c.meanB
	c.meanA += da / c.count
	c.meanB += db / c.count
	c.aa += da * (a - c.meanA)
	c.bb += db * (b - c.meanB)
	c.ab += da * (b - c.meanB)
}

// value returns the correlation; false if one of the two is constant.
func (c *correlation) value() (float64, bool) {
	size := math.Sqrt(c.aa) * math.Sqrt(c.bb)
	if !(size > 0) {
		return 0, false
	}
	return min(max(c.ab/size, -1), 1), true
}
