package neighbors

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Search finds, for every query, the k nearest of the reference samples, by the
// rules of [Exact]; a query that equals a reference sample finds it at distance
// 0. k must be in [1, reference.N] and both must have the same columns. The
// graph has a list for each query.
func Search(ctx context.Context, reference, queries Points, k int, o Options) (*Graph, error) {
	if queries.M != reference.M {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.M, reference.M)
	}
	if k < 1 || k > reference.N {
		return nil, fmt.Errorf("neighbors: %d neighbours asked of %d samples; give a number from 1 to %d", k, reference.N, reference.N)
	}
	for _, x := range []Points{reference, queries} {
		if err := checkEntries(x); err != nil {
			return nil, err
		}
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	g := newGraph(queries.N, k)
	if o.method == tree || o.method == automatic && reference.M <= treeColumns {
		err = queryTree(ctx, reference, queries, o, g)
	} else {
		err = queryBlocks(ctx, reference, queries, o, g)
	}
	if err != nil {
		return nil, err
	}
	g.takeRoots()
	return g, nil
}

func queryTree(ctx context.Context, reference, queries Points, o Options, g *Graph) error {
	t := newKDTree(reference)
	return blas.For(ctx, o.Threads, queries.N, 256, func(_, lo, hi int) {
		q := query{tree: t, side: make([]float64, t.m), self: -1}
		for i := lo; i < hi; i++ {
			q.point, q.found = queries.Row(i), g.list(i)
			q.visit(0, 0)
			q.found.finish()
		}
	})
}

// queryBlocks preselects by products of centred blocks, as [blockSearch] does,
// and measures what passes.
func queryBlocks(ctx context.Context, reference, queries Points, o Options, g *Graph) error {
	m := reference.M
	mean := columnMeans(reference)
	centred := lessMeans(reference, mean)
	margin := productMargin(m)
	half := make([]float64, reference.N)
	for j := range half {
		row := centred[j*m : j*m+m]
		half[j] = blas.Dot(row, row) / 2 * (1 - 2*margin)
	}
	return blas.For(ctx, o.Threads, queries.N, blockRows, func(_, lo, hi int) {
		part := Points{N: hi - lo, M: m, Data: queries.Data[lo*m : hi*m]}
		block := lessMeans(part, mean)
		products := make([]float64, part.N*blockRows)
		found, reach := make([]nearest, part.N), make([]float64, part.N)
		halves := make([]float64, part.N)
		for i := range part.N {
			row := block[i*m : i*m+m]
			halves[i] = blas.Dot(row, row) / 2 * (1 - 2*margin)
			found[i], reach[i] = g.list(lo+i), math.Inf(-1)
		}
		for at := 0; at < reference.N; at += blockRows {
			width := min(blockRows, reference.N-at)
			o.Kernels.Gemm(false, true, part.N, width, m, 1, block, m, centred[at*m:], m, 0, products, width)
			for i := range part.N {
				for q, v := range products[i*width : (i+1)*width] {
					if v-half[at+q] >= reach[i] {
						found[i].offer(blas.SquaredDistance(part.Row(i), reference.Row(at+q)), int32(at+q))
						if found[i].full() {
							reach[i] = halves[i] - found[i].bound()/2
						}
					}
				}
			}
		}
		for i := range found {
			found[i].finish()
		}
	})
}
