package neighbors

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// WithinOptions configure [Within].
type WithinOptions struct {
	Options
	// Edges is the largest total number of entries in all lists; 0: any number. They
	// take [WithinBytes]. A graph with more is an error, before memory is allocated
	// if a sample of the rows shows it, otherwise as soon as the number is reached.
	Edges int64
}

// EdgesError is the error of a graph with too many entries.
type EdgesError struct {
	Radius float64
	Edges  int64 // estimated number of entries
	Most   int64
}

func (e *EdgesError) Error() string {
	return fmt.Sprintf("neighbors: within a radius of %v there are about %d pairs, where %d have room; take a smaller radius, or raise the limit", e.Radius, e.Edges, e.Most)
}

// WithinBytes returns the peak memory of [Within] in addition to n × m samples, including the graph, for
// the given number of entries.
func WithinBytes(n, m int, edges int64, threads int, metric Metric) int64 {
	search := MetricBytes(n, m, 0, threads, metric) + 8*withinRows*withinOthers*int64(blas.Threads(threads))
	return search + 24*edges // lists by block, and combined
}

// Within lists for every sample all others at a distance of at most radius ≥ 0 by a metric,
// nearest first, ties by the lower index. Lists have any length, including 0.
// O(n log n) and the entries for few columns, O(n²m) for many. For limits and
// errors see [WithinOptions], [Exact] and [Metric].
func Within(ctx context.Context, x Points, radius float64, metric Metric, o WithinOptions) (*Graph, error) {
	if err := checkRadius(radius, metric); err != nil {
		return nil, err
	}
	if x.N < 1 {
		return nil, fmt.Errorf("neighbors: there are no samples")
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	if metric != Euclidean && !metric.directional() {
		measure, by, err := measureOf(x, metric)
		if err != nil {
			return nil, err
		}
		g, err := withinBy(ctx, measure, x.N, magnitude.Times(radius, -by.exponent), o)
		return restored(g, by, err)
	}
	mapped, err := metric.ToEuclidean(x)
	if err != nil {
		return nil, err
	}
	mapped, by := ordinary(mapped)
	reach := magnitude.Times(radius, -by.exponent)
	if metric.directional() {
		reach = math.Sqrt(2 * radius)
	}
	w := &withinSearch{x: mapped, rows: mapped, reach: reach, metric: metric, radius: radius}
	if metric == Euclidean {
		w.radius = reach
	}
	if mapped.M <= treeColumns {
		w.tree = newKDTree(mapped, o.Threads)
	} else {
		w.centre()
	}
	g, err := w.search(ctx, o)
	return restored(g, by, err)
}

// restored converts the distances to the unit of the samples.
func restored(g *Graph, by divided, err error) (*Graph, error) {
	if err != nil {
		return nil, err
	}
	return g, by.restore(g)
}

// WithinSparse is [Within] for compressed rows, with the metrics of [NearestSparse].
func WithinSparse(ctx context.Context, a *sparse.CSR, radius float64, metric Metric, o WithinOptions) (*Graph, error) {
	if err := checkRadius(radius, metric); err != nil {
		return nil, err
	}
	if metric != Euclidean && metric != Cosine {
		measure, by, err := sparseMeasureOf(a, metric)
		if err != nil {
			return nil, err
		}
		g, err := withinBy(ctx, measure, a.Rows, magnitude.Times(radius, -by.exponent), o)
		return restored(g, by, err)
	}
	mapped, err := metric.ToEuclideanSparse(a)
	if err != nil {
		return nil, err
	}
	mapped, by, err := ordinarySparse(mapped)
	if err != nil {
		return nil, err
	}
	reach := magnitude.Times(radius, -by.exponent)
	limit := reach
	if metric.directional() {
		reach, limit = math.Sqrt(2*radius), radius
	}
	g, err := withinBy(ctx, productRows{newSparseSearch(mapped), reach * reach, metric}, a.Rows, limit, o)
	return restored(g, by, err)
}

// lists holds the lists of a range of rows.
type lists struct {
	ptr   []int // end of each row's list
	index []int32
	dist  []float64
}

// found is an entry of the current list.
type found struct {
	index int32
	dist  float64
}

// add sorts and appends the list of the next row.
func (l *lists) add(row []found) {
	slices.SortFunc(row, func(a, b found) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.index, b.index)) })
	for _, e := range row {
		l.index, l.dist = append(l.index, e.index), append(l.dist, e.dist)
	}
	l.ptr = append(l.ptr, len(l.index))
}

// graphOfLists combines the lists of blocks of the given number of rows. place is the place of a sample
// among the rows; nil: they are in order.
func graphOfLists(n int, blocks []lists, rows int, place []int32) *Graph {
	total := 0
	for _, b := range blocks {
		total += len(b.index)
	}
	g := &Graph{Ptr: make([]int, 1, n+1), Index: make([]int32, 0, total), Dist: make([]float64, 0, total)}
	for i := range n {
		at := i
		if place != nil {
			at = int(place[i])
		}
		b, first := &blocks[at/rows], 0
		if at%rows > 0 {
			first = b.ptr[at%rows-1]
		}
		end := b.ptr[at%rows]
		g.Index, g.Dist = append(g.Index, b.index[first:end]...), append(g.Dist, b.dist[first:end]...)
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g
}

// budget counts entries against their limit.
type budget struct {
	radius float64
	most   int64 // 0: any number
	used   atomic.Int64
	rows   atomic.Int64 // finished rows
	n      int
}

// take counts the entries of a row, and reports whether they are within the limit. Once the limit is
// exceeded it stops counting.
func (b *budget) take(entries int) bool {
	if b.most > 0 && b.used.Load() > b.most {
		return false
	}
	b.rows.Add(1)
	return b.used.Add(int64(entries)) <= b.most || b.most == 0
}

// err returns the error if the entries exceeded the limit.
func (b *budget) err() error {
	used := b.used.Load()
	if b.most == 0 || used <= b.most {
		return nil
	}
	return &EdgesError{b.radius, used * int64(b.n) / max(b.rows.Load(), 1), b.most}
}

// sampledRows is the number of rows examined before any list is made.
const sampledRows = 64

// judge returns an error for a graph that a sample of the rows shows to be too large, by a factor of two.
func (b *budget) judge(counted int64, rows int) error {
	if about := counted * int64(b.n) / int64(max(rows, 1)); b.most > 0 && about > 2*b.most {
		return &EdgesError{b.radius, about, b.most}
	}
	return nil
}

// withinBy compares all pairs by a measure.
func withinBy(ctx context.Context, measure rowsMeasure, n int, radius float64, o WithinOptions) (*Graph, error) {
	var err error
	if o.Options, err = o.withDefaults(); err != nil {
		return nil, err
	}
	b := &budget{radius: radius, most: o.Edges, n: n}
	var w measureScratch
	var counted int64
	step := max(n/sampledRows, 1)
	out := make([]float64, n)
	rows := 0
	for i := 0; i < n && o.Edges > 0; i += step {
		measure.begin(i, &w)
		measure.distances(i, 0, n, radius, &w, out)
		for j, d := range out {
			if d <= radius && j != i {
				counted++
			}
		}
		rows++
	}
	if err := b.judge(counted, rows); err != nil {
		return nil, err
	}
	side := tileRows(measure)
	blocks := make([]lists, (n+side-1)/side)
	err = eachTile(ctx, measure, n, o.Options, func(int, *[]found) float64 {
		if b.err() != nil {
			return -1 // the list has ended
		}
		return radius
	},
		func(_, j int, d float64, list *[]found) { *list = append(*list, found{int32(j), d}) },
		func(i int, list *[]found) {
			if !b.take(len(*list)) {
				*list = nil
			}
			blocks[i/side].add(*list)
		})
	if err != nil {
		return nil, err
	}
	if err := b.err(); err != nil {
		return nil, err
	}
	return graphOfLists(n, blocks, side, nil), nil
}
