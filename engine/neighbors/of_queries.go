package neighbors

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// queriesAtATime is the number of queries of a task, for a metric without an index.
const queriesAtATime = 16

// MetricIndex is [Index] and [SparseIndex] for any metric: reference samples prepared for searches. For the
// Euclidean metric and cosine, and for correlation of full matrices, it is one of these two. For other
// metrics every query is compared with all samples, which a search copies together with its queries.
type MetricIndex struct {
	reference mat.Matrix
	metric    Metric
	o         Options
	search    func(ctx context.Context, queries mat.Matrix, k int) (*Graph, error) // nil: all pairs are compared
}

// NewMetricIndex prepares an index of a *mat.Dense, a [*Stored] or a *sparse.CSR, which must
// not change. For the Euclidean metric a Stored is not copied to float64.
func NewMetricIndex(reference mat.Matrix, metric Metric, o Options) (*MetricIndex, error) {
	if err := wellFormed(reference); err != nil {
		return nil, err
	}
	x := &MetricIndex{reference: reference, metric: metric, o: o}
	if metric.pairs(reference) {
		_, err := MetricNamed(string(metric))
		return x, err
	}
	if a, is := reference.(*sparse.CSR); is {
		a, err := metric.toEuclideanWideSparse(a)
		if err != nil {
			return nil, err
		}
		index, err := NewSparseIndex(a, o)
		x.search = func(ctx context.Context, queries mat.Matrix, k int) (*Graph, error) {
			b, err := compressedRows(queries)
			if err != nil {
				return nil, err
			}
			if b, err = metric.toEuclideanWideSparse(b); err != nil {
				return nil, err
			}
			return index.Search(ctx, b, k)
		}
		return x, err
	}
	rows, err := metric.toEuclideanWide(storedOf(reference))
	if err != nil {
		return nil, err
	}
	index, err := newIndex(rows, o)
	x.search = func(ctx context.Context, queries mat.Matrix, k int) (*Graph, error) {
		rows, err := metric.toEuclideanWide(storedOf(queries))
		if err != nil {
			return nil, err
		}
		return index.nearest(ctx, rows, k)
	}
	return x, err
}

// Search finds, for every query, the k nearest of the reference samples, ties by the lower index; a
// query that equals a sample finds it at distance 0. Queries must be of the type of the reference samples
// unless the metric is Euclidean or cosine. The result of a query does not depend on the others.
func (x *MetricIndex) Search(ctx context.Context, queries mat.Matrix, k int) (*Graph, error) {
	if err := wellFormed(queries); err != nil {
		return nil, err
	}
	if err := agree(x.reference, queries); err != nil {
		return nil, err
	}
	if n, _ := x.reference.Dims(); k < 1 || k > n {
		return nil, fmt.Errorf("neighbors: %d neighbours requested of %d samples; give a number from 1 to %d", k, n, n)
	}
	if x.search == nil {
		p, err := newQueryPairs(x.reference, queries, x.metric, x.o)
		if err != nil {
			return nil, err
		}
		return p.nearest(ctx, k)
	}
	g, err := x.search(ctx, queries, k)
	if err == nil {
		x.metric.Restore(g)
	}
	return g, err
}

// MetricIndexBytes returns the peak memory of [NewMetricIndex] for full samples, n × m, and of searches for
// k neighbours of the given number of queries, in addition to the samples.
func MetricIndexBytes(n, m, queries, k, threads int, metric Metric) int64 {
	index := ExactBytes(n, m, 1, threads)
	switch {
	case metric.directional():
		index = ExactBytes(n, m+1, 1, threads) + 16*int64(n+queries)*int64(m+1)
	case metric != Euclidean:
		index = MetricBytes(n+queries, m, 0, threads, metric) + 8*int64(n+queries)*int64(m)
	}
	return index + GraphBytes(queries, k)
}

// NearestOf finds, for every row of queries, the k nearest rows of reference by a metric. It is
// [NewMetricIndex] and [MetricIndex.Search] in one.
func NearestOf(ctx context.Context, reference, queries mat.Matrix, k int, metric Metric, o Options) (*Graph, error) {
	index, err := NewMetricIndex(reference, metric, o)
	if err != nil {
		return nil, err
	}
	return index.Search(ctx, queries, k)
}

// WithinOf lists, for every row of queries, the rows of reference at a distance of at most
// radius by a metric, nearest first, ties by the lower index. For the Euclidean metric, cosine and
// correlation it takes O(log n) for each query, plus the entries, with few columns, and products of blocks
// with many, for which sparse matrices are made full. For other metrics, and for correlation of
// compressed rows, every query is compared with all samples. For the matrices see [MetricIndex]; more
// entries than o.Edges are an error as soon as they are counted.
func WithinOf(ctx context.Context, reference, queries mat.Matrix, radius float64, metric Metric, o WithinOptions) (*Graph, error) {
	if err := checkRadius(radius, metric); err != nil {
		return nil, err
	}
	if err := wellFormed(reference, queries); err != nil {
		return nil, err
	}
	if metric.pairs(reference) {
		p, err := newQueryPairs(reference, queries, metric, o.Options)
		if err != nil {
			return nil, err
		}
		g, err := p.within(ctx, radius, o.Edges)
		return restored(g, p.by, err)
	}
	var err error
	if o.Options, err = o.withDefaults(); err != nil {
		return nil, err
	}
	if err := agree(reference, queries); err != nil {
		return nil, err
	}
	all, err := stackedPoints(reference, queries)
	if err != nil {
		return nil, err
	}
	n, _ := reference.Dims()
	return withinOfQueries(ctx, all, n, radius, metric, o)
}

// OfQueriesBytes returns the peak memory of [NearestOf] in addition to its matrices, including the
// graph; for k = 0, of [WithinOf] for a graph without entries.
func OfQueriesBytes(reference, queries mat.Matrix, k, threads int, metric Metric) int64 {
	n, m := reference.Dims()
	count, _ := queries.Dims()
	rows, cols, workers := int64(n+count), int64(m), int64(blas.Threads(threads))
	whole := 8 * rows * cols // both in float64
	if a, is := reference.(*sparse.CSR); is && (k > 0 || metric.pairs(reference)) {
		both := a.Bytes() + compressedBytes(queries)
		if metric.pairs(reference) { // stacked, and converted for the metric
			return 4*both + 8*int64(n+2*m)*workers + GraphBytes(count, k)
		}
		if metric.directional() { // scaled to unit length, with a column for rows without direction
			both *= 2
		}
		return both + SparseIndexBytes(a, count, k, threads)
	}
	if k == 0 || metric.pairs(reference) {
		return whole + MetricBytes(n+count, m, 0, threads, metric) + 8*withinRows*withinOthers*workers + GraphBytes(count, k)
	}
	// The tree, or samples minus their mean in both precisions, and the blocks of the workers.
	index := 12*int64(n)*(cols+3) + workers*blockRows*(12*blockRows+20*cols)
	if m <= treeColumns {
		index = int64(n) * (16*cols + 28)
	}
	if metric.directional() {
		index += whole + 8*rows*(cols+1) // with a column for rows without direction
	}
	return index + GraphBytes(count, k)
}

// compressedBytes bounds the memory of [compressedRows].
func compressedBytes(x mat.Matrix) int64 {
	if a, is := x.(*sparse.CSR); is {
		return a.Bytes()
	}
	n, m := x.Dims()
	return 24*int64(n)*int64(m) + 8*int64(n) // with capacities that double
}

// pairs reports whether queries are compared with all samples, because the metric has no index.
func (m Metric) pairs(reference mat.Matrix) bool {
	_, compressed := reference.(*sparse.CSR)
	return m != Euclidean && !m.directional() || m == Correlation && compressed
}

// wellFormed returns an error for matrices of other types, and for invalid compressed rows.
func wellFormed(of ...mat.Matrix) error {
	for _, x := range of {
		switch x := x.(type) {
		case *mat.Dense, *Stored:
		case *sparse.CSR:
			if err := x.Validate(); err != nil {
				return fmt.Errorf("neighbors: %w", err)
			}
		default:
			return fmt.Errorf("neighbors: the samples are a %T; give a *mat.Dense, a *neighbors.Stored or a *sparse.CSR", x)
		}
	}
	return nil
}

// agree returns an error for samples and queries that cannot be compared.
func agree(reference, queries mat.Matrix) error {
	n, m := reference.Dims()
	if _, cols := queries.Dims(); cols != m {
		return fmt.Errorf("neighbors: queries of %d columns among samples of %d", cols, m)
	}
	if n < 1 || m < 1 {
		return fmt.Errorf("neighbors: no samples to search among (%d × %d)", n, m)
	}
	return nil
}

// storedOf converts a matrix to samples; a sparse one is made full.
func storedOf(x mat.Matrix) *Stored {
	n, m := x.Dims()
	switch x := x.(type) {
	case *Stored:
		return x
	case *mat.Dense:
		if x.RawMatrix().Stride != m {
			x = mat.DenseCopyOf(x)
		}
		return StoredOf(n, m, x.RawMatrix().Data)
	default:
		return StoredOf(n, m, x.(*sparse.CSR).Dense().RawMatrix().Data)
	}
}

// compressedRows converts a matrix to compressed rows, without zeros.
func compressedRows(x mat.Matrix) (*sparse.CSR, error) {
	if a, is := x.(*sparse.CSR); is {
		return a, nil
	}
	p := storedOf(x)
	a, into := &sparse.CSR{Rows: p.n, Cols: p.m, Ptr: make([]int, 1, p.n+1)}, p.scratch()
	for i := range p.n {
		for j, v := range p.Row(i, into) {
			if v != 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a, nil
}

// queryPairs compares queries with samples by a measure of rows: the samples, followed by
// the queries.
type queryPairs struct {
	measure rowsMeasure
	by      divided
	n, last int // number of samples, and of all rows
	o       Options
}

func newQueryPairs(reference, queries mat.Matrix, metric Metric, o Options) (*queryPairs, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := agree(reference, queries); err != nil {
		return nil, err
	}
	n, _ := reference.Dims()
	count, _ := queries.Dims()
	p := &queryPairs{n: n, last: n + count, o: o}
	if a, is := reference.(*sparse.CSR); is {
		b, err := compressedRows(queries)
		if err != nil {
			return nil, err
		}
		p.measure, p.by, err = sparseMeasureOf(stackedRows(a, b), metric)
		return p, err
	}
	all, err := stackedPoints(reference, queries)
	if err != nil {
		return nil, err
	}
	p.measure, p.by, err = measureOf(all, metric)
	return p, err
}

// stackedPoints appends the queries to the samples, as full rows.
func stackedPoints(reference, queries mat.Matrix) (Points, error) {
	x, y := storedOf(reference), storedOf(queries)
	all := Points{N: x.n + y.n, M: x.m, Data: make([]float64, (x.n+y.n)*x.m)}
	for i := range x.n {
		copy(all.Row(i), x.Row(i, all.Row(i)))
	}
	for i := range y.n {
		copy(all.Row(x.n+i), y.Row(i, all.Row(x.n+i)))
	}
	return all, checkFinite(all)
}

// stackedRows appends the rows of b to those of a.
func stackedRows(a, b *sparse.CSR) *sparse.CSR {
	s := &sparse.CSR{Rows: a.Rows + b.Rows, Cols: a.Cols}
	s.Ptr = append(s.Ptr, a.Ptr...)
	for _, end := range b.Ptr[1:] {
		s.Ptr = append(s.Ptr, a.Ptr[a.Rows]+end)
	}
	s.Col = append(append(s.Col, a.Col[:a.Ptr[a.Rows]]...), b.Col[:b.Ptr[b.Rows]]...)
	s.Val = append(append(s.Val, a.Val[:a.Ptr[a.Rows]]...), b.Val[:b.Ptr[b.Rows]]...)
	return s
}

func (p *queryPairs) nearest(ctx context.Context, k int) (*Graph, error) {
	g := newGraph(p.last-p.n, k)
	err := p.each(ctx, func(i int) queryList {
		list := g.list(i)
		return queryList{
			bound: func() float64 {
				if list.full() {
					return list.bound()
				}
				return math.Inf(1)
			},
			offer: func(j int, d float64) { list.offer(d, int32(j)) },
			end:   list.finish,
		}
	})
	if err != nil {
		return nil, err
	}
	if err := checkMeasured(p.measure, g); err != nil {
		return nil, err
	}
	return g, p.by.restore(g)
}

func (p *queryPairs) within(ctx context.Context, radius float64, edges int64) (*Graph, error) {
	limit := magnitude.Times(radius, -p.by.exponent)
	count := p.last - p.n
	b := &budget{radius: radius, most: edges, n: count}
	blocks := make([]lists, (count+queriesAtATime-1)/queriesAtATime)
	err := p.each(ctx, func(i int) queryList {
		var row []found
		return queryList{
			bound: func() float64 {
				if b.err() != nil {
					return -1 // the list has ended
				}
				return limit
			},
			offer: func(j int, d float64) { row = append(row, found{int32(j), d}) },
			end: func() {
				if !b.take(len(row)) {
					row = nil
				}
				blocks[i/queriesAtATime].add(row)
			},
		}
	})
	if err == nil {
		err = b.err()
	}
	if err != nil {
		return nil, err
	}
	return graphOfLists(count, blocks, queriesAtATime, nil), nil
}

// queryList is the list of a query during a search: it gets all samples within its bound.
type queryList struct {
	bound func() float64
	offer func(j int, d float64)
	end   func()
}

// each measures every query against all samples.
func (p *queryPairs) each(ctx context.Context, begin func(i int) queryList) error {
	workers := make([]struct {
		scratch measureScratch
		out     [measuredOthers]float64
	}, blas.Threads(p.o.Threads))
	var done atomic.Int64
	count := p.last - p.n
	return blas.For(ctx, p.o.Threads, count, queriesAtATime, func(worker, lo, hi int) {
		w := &workers[worker]
		for i := lo; i < hi; i++ {
			list := begin(i)
			p.measure.begin(p.n+i, &w.scratch)
			for from := 0; from < p.n; from += measuredOthers {
				to := min(from+measuredOthers, p.n)
				bound := list.bound()
				p.measure.distances(p.n+i, from, to, bound, &w.scratch, w.out[:])
				for q, d := range w.out[:to-from] {
					if d <= bound {
						list.offer(from+q, d)
					}
				}
			}
			list.end()
		}
		p.o.Progress(float64(done.Add(int64(hi-lo))) / float64(count))
	})
}
