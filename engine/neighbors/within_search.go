package neighbors

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

const (
	// withinRows and withinOthers are the sides of a tile of products.
	withinRows, withinOthers = 64, 512
	// leafQueries is the number of queries of a task, in the order of the tree's leaves.
	leafQueries = 256
)

// withinSearch finds all pairs within a Euclidean distance among rows, which are the
// samples or their turned form.
type withinSearch struct {
	x      Points
	rows   Points  // rows whose neighbours are searched: x, or x followed by queries
	reach  float64 // Euclidean
	radius float64 // in the metric, in the unit of x
	metric Metric

	tree    *kdTree   // nil: products
	centred []float64 // for products
	half    []float64 // ‖x̃‖²/2, shrunk by the rounding bound
}

// centre subtracts the means of the samples from all rows.
func (s *withinSearch) centre() {
	s.centred, s.half = lessMeans(s.rows, columnMeans(s.x.Stored())), make([]float64, s.rows.N)
	margin := productMargin(s.x.M)
	for i := range s.rows.N {
		row := s.centred[i*s.x.M : (i+1)*s.x.M]
		s.half[i] = blas.Dot(row, row) / 2 * (1 - 2*margin)
	}
}

// distance returns the distance in the metric for a squared Euclidean distance, and whether it is within
// the radius.
func (s *withinSearch) distance(square float64) (d float64, within bool) {
	d = s.metric.restored(math.Sqrt(square))
	return d, d <= s.radius
}

// far returns a bound on squares beyond which no pair is within the radius, despite rounding.
func (s *withinSearch) far() float64 { return s.reach * s.reach * (1 + 1e-9) }

func (s *withinSearch) search(ctx context.Context, o WithinOptions) (*Graph, error) {
	var err error
	if o.Options, err = o.withDefaults(); err != nil {
		return nil, err
	}
	n := s.x.N
	b := &budget{radius: s.radius, most: o.Edges, n: n}
	if o.Edges > 0 {
		step, rows := max(n/sampledRows, 1), 0
		var counted int64
		var list []found
		for i := 0; i < n; i += step {
			list = s.direct(i, list[:0])
			counted += int64(len(list))
			rows++
		}
		if err := b.judge(counted, rows); err != nil {
			return nil, err
		}
	}
	side, find := withinRows, s.products
	var place []int32
	if s.tree != nil {
		side, find = leafQueries, s.leaves
		place = make([]int32, n)
		for p, i := range s.tree.order {
			place[i] = int32(p)
		}
	}
	blocks := make([]lists, (n+side-1)/side)
	var done atomic.Int64
	workers := make([]withinScratch, blas.Threads(o.Threads))
	err = blas.For(ctx, o.Threads, n, side, func(worker, lo, hi int) {
		w := &workers[worker]
		w.empty(side)
		if b.err() == nil { // otherwise it has ended
			find(lo, hi, o.Kernels, w)
		}
		for _, list := range w.rows[:hi-lo] {
			if !b.take(len(list)) {
				list = nil
			}
			blocks[lo/side].add(list)
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(n))
	})
	if err == nil {
		err = b.err()
	}
	if err != nil {
		return nil, err
	}
	return graphOfLists(n, blocks, side, place), nil
}

// withinScratch is the workspace of one worker.
type withinScratch struct {
	rows     [][]found // the lists of its rows
	products []float64
}

// empty makes room for the given number of lists.
func (w *withinScratch) empty(count int) {
	for len(w.rows) < count {
		w.rows = append(w.rows, nil)
	}
	for i := range w.rows {
		w.rows[i] = w.rows[i][:0]
	}
}

// direct lists the neighbours of a sample by measuring all others.
func (s *withinSearch) direct(i int, list []found) []found {
	for j := range s.x.N {
		if d, within := s.distance(blas.SquaredDistance(s.x.Row(i), s.x.Row(j))); within && j != i {
			list = append(list, found{int32(j), d})
		}
	}
	return list
}

// products examines the pairs that may be close according to products.
func (s *withinSearch) products(lo, hi int, kernels *blas.Kernels, w *withinScratch) {
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
				if v-half[q] < least || from+q == i {
					continue
				}
				if d, within := s.distance(blas.SquaredDistance(s.rows.Row(i), s.x.Row(from+q))); within {
					w.rows[i-lo] = append(w.rows[i-lo], found{int32(from + q), d})
				}
			}
		}
	}
}

// leaves searches the tree for the neighbours of the samples at some of its places.
func (s *withinSearch) leaves(lo, hi int, _ *blas.Kernels, w *withinScratch) {
	q := ball{withinSearch: s, side: make([]float64, s.x.M), far: s.far()}
	for p := lo; p < hi; p++ {
		q.point, q.self, q.list = s.tree.points[p*s.x.M:(p+1)*s.x.M], int32(p), w.rows[p-lo]
		q.visit(0, 0)
		w.rows[p-lo] = q.list
	}
}

// ball is the state of one search of the tree, like [query].
type ball struct {
	*withinSearch
	point []float64
	self  int32
	side  []float64
	far   float64
	list  []found
}

func (q *ball) visit(at int32, cell float64) {
	n := &q.tree.nodes[at]
	if n.dim < 0 {
		for p := n.lo; p < n.hi; p++ {
			if p == q.self {
				continue
			}
			y := q.tree.points[int(p)*q.x.M : (int(p)+1)*q.x.M]
			if d, within := q.distance(blas.SquaredDistance(q.point, y)); within {
				q.list = append(q.list, found{q.tree.order[p], d})
			}
		}
		return
	}
	near, far := at+1, n.right
	away := n.split - q.point[n.dim]
	if away <= 0 {
		near, far = far, near
		away = -away
	}
	q.visit(near, cell)
	before := q.side[n.dim]
	beyond := max(cell-before*before+away*away, away*away)
	if beyond*slack > q.far {
		return
	}
	q.side[n.dim] = away
	q.visit(far, beyond)
	q.side[n.dim] = before
}

// withinOfQueries lists the samples within a radius of each query: the queries are the rows of all from n
// on. The rows are not yet turned.
func withinOfQueries(ctx context.Context, all Points, n int, radius float64, metric Metric, o WithinOptions) (*Graph, error) {
	all, err := metric.ToEuclidean(all)
	if err != nil {
		return nil, err
	}
	all, by := ordinary(all)
	reach := magnitude.Times(radius, -by.exponent)
	limit := reach
	if metric.directional() {
		reach, limit = math.Sqrt(2*radius), radius
	}
	samples := Points{N: n, M: all.M, Data: all.Data[:n*all.M]}
	s := &withinSearch{x: samples, rows: all, reach: reach, metric: metric, radius: limit}
	if all.M <= treeColumns {
		s.tree = newKDTree(samples, o.Threads)
	} else {
		s.centre()
	}
	count := all.N - n
	b := &budget{radius: radius, most: o.Edges, n: count}
	blocks := make([]lists, (count+withinRows-1)/withinRows)
	workers := make([]withinScratch, blas.Threads(o.Threads))
	var done atomic.Int64
	err = blas.For(ctx, o.Threads, count, withinRows, func(worker, lo, hi int) {
		w := &workers[worker]
		w.empty(withinRows)
		switch {
		case b.err() != nil: // it has ended
		case s.tree != nil:
			s.descend(n+lo, n+hi, w)
		default:
			s.products(n+lo, n+hi, o.Kernels, w)
		}
		for _, list := range w.rows[:hi-lo] {
			if !b.take(len(list)) {
				list = nil
			}
			blocks[lo/withinRows].add(list)
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(count))
	})
	if err == nil {
		err = b.err()
	}
	if err != nil {
		return nil, err
	}
	return restored(graphOfLists(count, blocks, withinRows, nil), by, nil)
}

// descend searches the tree for the neighbours of the queries from lo to hi.
func (s *withinSearch) descend(lo, hi int, w *withinScratch) {
	q := ball{withinSearch: s, side: make([]float64, s.x.M), far: s.far(), self: -1}
	for i := lo; i < hi; i++ {
		clear(q.side)
		q.point, q.list = s.rows.Row(i), w.rows[i-lo]
		q.visit(0, 0)
		w.rows[i-lo] = q.list
	}
}
