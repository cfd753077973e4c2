package neighbors

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// withinOfQueries lists the samples within a radius of each query: the rows of all from n
// on. The rows are not turned yet.
func withinOfQueries(ctx context.Context, all Points, n int, radius float64, metric Metric, o Options) (*Graph, error) {
	all, err := metric.Turned(all)
	if err != nil {
		return nil, err
	}
	all, by := ordinary(all)
	reach := magnitude.Times(radius, -by.exponent)
	limit := reach
	if metric.turned() {
		reach, limit = math.Sqrt(2*radius), radius
	}
	samples := Points{N: n, M: all.M, Data: all.Data[:n*all.M]}
	s := &withinSearch{x: samples, rows: all, reach: reach, metric: metric, radius: limit}
	if all.M <= treeColumns {
		s.tree = newKDTree(samples)
	} else {
		s.centre()
	}
	count := all.N - n
	blocks := make([]lists, (count+withinRows-1)/withinRows)
	workers := make([]withinScratch, blas.Threads(o.Threads))
	var done atomic.Int64
	err = blas.For(ctx, o.Threads, count, withinRows, func(worker, lo, hi int) {
		w := &workers[worker]
		w.empty(withinRows)
		if s.tree != nil {
			s.descend(n+lo, n+hi, w)
		} else {
			s.products(n+lo, n+hi, o.Kernels, w)
		}
		for _, list := range w.rows[:hi-lo] {
			blocks[lo/withinRows].add(list)
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(count))
	})
	if err != nil {
		return nil, err
	}
	return restored(graphOfLists(count, blocks, withinRows, nil), by, nil)
}

// descend asks the tree for the neighbours of the queries from lo to hi.
func (s *withinSearch) descend(lo, hi int, w *withinScratch) {
	q := ball{withinSearch: s, side: make([]float64, s.x.M), far: s.far(), self: -1}
	for i := lo; i < hi; i++ {
		clear(q.side)
		q.point, q.list = s.rows.Row(i), w.rows[i-lo]
		q.visit(0, 0)
		w.rows[i-lo] = q.list
	}
}
