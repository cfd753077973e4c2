package neighbors

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// FromDistances returns the graph of the k nearest neighbours of each sample by a full
// n × n matrix of distances, ties by lower index, the sample itself left out. k must be in
// [1, n−1]. The matrix is one that [CheckDistances] lets pass. O(n²).
func FromDistances(ctx context.Context, d Points, k int, o Options) (*Graph, error) {
	n := d.N
	if d.M != n || k < 1 || k >= n {
		return nil, fmt.Errorf("neighbors: %d neighbours asked of %d × %d distances; give a square matrix and a number from 1 to %d", k, n, d.M, max(n-1, 1))
	}
	g := newGraph(n, k)
	err := blas.For(ctx, o.Threads, n, distanceRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			list, bound := g.list(i), math.Inf(1)
			for j, v := range d.Row(i) {
				if v > bound || j == i {
					continue
				}
				list.offer(v, int32(j))
				if list.full() {
					bound = list.bound()
				}
			}
			list.finish()
		}
	})
	return g, err
}

const (
	// distanceRows is the number of rows of a task over a full matrix.
	distanceRows = 64
	// distanceRounding is the most, relative to the largest distance, by which a distance
	// may differ from its mirror, or that of a sample to itself from 0: what rounding leaves
	// of a metric that was computed both ways.
	distanceRounding = 1e-8
)

// CheckDistances refuses what is no full matrix of distances: one that is not square, has
// an entry that is negative or not finite, a distance from a sample to itself, or two of
// one pair that differ by more than 1e-8 of the largest. The error names the entry, from
// 1. O(n²).
func CheckDistances(d Points) error {
	n := d.N
	if d.M != n {
		return fmt.Errorf("the distances are %d × %d; give a square matrix, with a row and a column for each sample", n, d.M)
	}
	for at, v := range d.Data {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("row %d, column %d (counting from 1) of the distances is %v; give finite numbers ≥ 0", at/n+1, at%n+1, v)
		}
	}
	_, largest := magnitude.Largest(d.Data)
	allowed := distanceRounding * largest
	for i := range n {
		if v := d.Row(i)[i]; v > allowed {
			return fmt.Errorf("row %d, column %d (counting from 1) of the distances is %v; give 0 from a sample to itself", i+1, i+1, v)
		}
	}
	for from := 0; from < n; from += distanceRows { // in tiles, which the cache holds
		for to := 0; to <= from; to += distanceRows {
			for i := from; i < min(from+distanceRows, n); i++ {
				row := d.Row(i)
				for j := to; j < min(to+distanceRows, i); j++ {
					if other := d.Data[j*n+i]; math.Abs(row[j]-other) > allowed {
						return fmt.Errorf("the distances are not symmetric: row %d, column %d (counting from 1) is %v and its mirror is %v; give (D + Dᵀ)/2", i+1, j+1, row[j], other)
					}
				}
			}
		}
	}
	return nil
}
