package neighbors

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// queriesWithin searches a radius around queries among samples whose rows are those of a
// Euclidean search, the queries standing behind the samples.
type queriesWithin struct {
	*withinSearch        // of the samples
	all           Points // samples and queries
	centred, half []float64
}

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
	s := &queriesWithin{withinSearch: &withinSearch{x: samples, reach: reach, metric: metric, radius: limit}, all: all}
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
		for len(w.rows) < withinRows {
			w.rows = append(w.rows, nil)
		}
		for i := range w.rows {
			w.rows[i] = w.rows[i][:0]
		}
		if s.tree != nil {
			s.descend(n+lo, n+hi, w)
		} else {
			s.multiply(n+lo, n+hi, o.Kernels, w)
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

// centre takes the means of the samples off all rows.
func (s *queriesWithin) centre() {
	s.centred, s.half = lessMeans(s.all, columnMeans(s.x)), make([]float64, s.all.N)
	margin := productMargin(s.x.M)
	for i := range s.all.N {
		row := s.centred[i*s.x.M : (i+1)*s.x.M]
		s.half[i] = blas.Dot(row, row) / 2 * (1 - 2*margin)
	}
}

// descend asks the tree for the neighbours of the rows from lo to hi.
func (s *queriesWithin) descend(lo, hi int, w *withinScratch) {
	q := ball{withinSearch: s.withinSearch, side: make([]float64, s.x.M), far: s.far(), self: -1}
	for i := lo; i < hi; i++ {
		clear(q.side)
		q.point, q.list = s.all.Row(i), w.rows[i-lo]
		q.visit(0, 0)
		w.rows[i-lo] = q.list
	}
}

// multiply measures the pairs whose products do not show them to be far apart.
func (s *queriesWithin) multiply(lo, hi int, kernels *blas.Kernels, w *withinScratch) {
	if w.products == nil {
		w.products = make([]float64, withinRows*withinOthers)
	}
	m, far := s.x.M, s.far()/2
	for from := 0; from < s.x.N; from += withinOthers {
		width := min(withinOthers, s.x.N-from)
		kernels.Gemm(false, true, hi-lo, width, m, 1, s.centred[lo*m:], m, s.centred[from*m:], m, 0, w.products, width)
		half := s.half[from : from+width]
		for i := lo; i < hi; i++ {
			least := s.half[i] - far
			for q, v := range w.products[(i-lo)*width : (i-lo+1)*width] {
				if v-half[q] < least {
					continue
				}
				if d, within := s.distance(blas.SquaredDistance(s.all.Row(i), s.x.Row(from+q))); within {
					w.rows[i-lo] = append(w.rows[i-lo], found{int32(from + q), d})
				}
			}
		}
	}
}
