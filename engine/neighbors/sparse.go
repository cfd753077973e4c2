package neighbors

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// sparseRows is the number of samples that a worker processes at a time.
const sparseRows = 32

// ExactSparse is [Exact] for samples in compressed rows, which are never made dense
// as a whole: it returns the same neighbours and distances. Products of a sample with
// all others are computed from the columns in which it has entries; if rounding could decide, the two
// rows are expanded and measured. O(Σⱼ cⱼ² + n²) for columns with cⱼ entries; 8n bytes for each worker.
func ExactSparse(ctx context.Context, a *sparse.CSR, k int, o Options) (*Graph, error) {
	if a.Rows < 2 || k < 1 || k >= a.Rows {
		return nil, checkCount(a.Rows, k)
	}
	a, by, err := ordinarySparse(a)
	if err != nil {
		return nil, err
	}
	o, err = o.withDefaults()
	if err != nil {
		return nil, err
	}
	g := newGraph(a.Rows, k)
	s := newSparseSearch(a)
	if err := s.searchAll(ctx, a, k, o, g, func(i int) int { return i }); err != nil {
		return nil, err
	}
	g.takeRoots()
	return g, by.restore(g)
}

// searchAll fills the lists of all queries. self returns the sample that a query is; −1: none.
func (s *sparseSearch) searchAll(ctx context.Context, queries *sparse.CSR, k int, o Options, g *Graph, self func(i int) int) error {
	workers := make([]sparseScratch, blas.Threads(o.Threads))
	var done atomic.Int64
	return blas.For(ctx, o.Threads, queries.Rows, sparseRows, func(worker, lo, hi int) {
		w := &workers[worker]
		if w.products == nil {
			*w = sparseScratch{make([]float64, s.a.Rows), make([]float64, s.a.Cols), make([]float64, s.a.Cols), make([]float64, k), make([]int32, k)}
		}
		for i := lo; i < hi; i++ {
			cols, vals := queries.Row(i)
			s.search(cols, vals, self(i), w, g.list(i))
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(queries.Rows))
	})
}

// ordinarySparse is [ordinary] for compressed rows, and refuses entries that are not finite.
func ordinarySparse(a *sparse.CSR) (*sparse.CSR, divided, error) {
	var by divided
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, by, fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", i+1, cols[p]+1, v)
			}
			if math.Abs(v) > math.Abs(by.value) {
				by.row, by.col, by.value = i, int(cols[p]), v
			}
		}
	}
	if by.exponent = magnitude.Exponent(math.Abs(by.value)); by.exponent == 0 {
		return a, by, nil
	}
	scaled := *a
	scaled.Val = magnitude.Scaled(-by.exponent, a.Val)
	return &scaled, by, nil
}

// sparseSearch holds the data by rows and by columns.
type sparseSearch struct {
	a       *sparse.CSR
	ptr     []int // of columns
	row     []int32
	value   []float64
	norms   []float64 // squared lengths
	whole   bool      // entries are integers whose sums of products are exact
	longest int       // largest number of entries of a row
}

// sparseScratch is the workspace of one worker.
type sparseScratch struct {
	products    []float64
	left, right []float64 // two rows, expanded
	square      []float64
	index       []int32
}

func newSparseSearch(a *sparse.CSR) *sparseSearch {
	s := &sparseSearch{a: a, ptr: make([]int, a.Cols+1), row: make([]int32, a.NNZ()), value: make([]float64, a.NNZ()), norms: make([]float64, a.Rows), whole: true}
	for _, j := range a.Col {
		s.ptr[j+1]++
	}
	for j := range a.Cols {
		s.ptr[j+1] += s.ptr[j]
	}
	next := append([]int(nil), s.ptr[:a.Cols]...)
	longest, most := 0, 0.0
	for i := range a.Rows {
		cols, vals := a.Row(i)
		longest = max(longest, len(cols))
		for p, j := range cols {
			v := vals[p]
			s.row[next[j]], s.value[next[j]] = int32(i), v
			next[j]++
			s.norms[i] += v * v
			s.whole = s.whole && v == math.Trunc(v)
		}
		most = max(most, s.norms[i])
	}
	s.whole = s.whole && most < 1<<50
	s.longest = longest
	return s
}

// rounding bounds the rounding error of |a|² + |b|² − 2ab, relative to the sum of the first two, for a
// query with the given number of entries. Each of the three sums of products has an error of at most
// (longest + 2)u, relative to the sum of the squared lengths, and the measured distance of
// 2(longest + 3)u.
func (s *sparseSearch) rounding(entries int) float64 {
	return 8 * float64(max(s.longest, entries)+4) * 0x1p-53
}

// search fills the list of a query. self is the sample that the query is; −1: none.
func (s *sparseSearch) search(cols []int32, vals []float64, self int, w *sparseScratch, list nearest) {
	clear(w.products)
	norm, whole := 0.0, s.whole
	for p, j := range cols {
		v := vals[p]
		norm += v * v
		whole = whole && v == math.Trunc(v)
		rows, others := s.row[s.ptr[j]:s.ptr[j+1]], s.value[s.ptr[j]:s.ptr[j+1]]
		for q, other := range rows {
			w.products[other] += v * others[q]
		}
	}
	whole = whole && norm < 1<<50
	target := &list
	rough := nearest{square: w.square, index: w.index}
	if !whole {
		target = &rough
	}
	most := 0.0
	for j, product := range w.products {
		if j == self {
			continue
		}
		most = max(most, s.norms[j])
		target.offer(max(0, norm+s.norms[j]-2*product), int32(j))
	}
	if whole {
		list.finish()
		return
	}
	reach := rough.bound() + 2*s.rounding(len(cols))*(norm+most)
	scatter(w.left, cols, vals)
	for j, product := range w.products {
		if j == self || norm+s.norms[j]-2*product > reach {
			continue
		}
		otherCols, otherVals := s.a.Row(j)
		scatter(w.right, otherCols, otherVals)
		list.offer(blas.SquaredDistance(w.left, w.right), int32(j))
		for _, c := range otherCols {
			w.right[c] = 0
		}
	}
	for _, c := range cols {
		w.left[c] = 0
	}
	list.finish()
}

func scatter(to []float64, cols []int32, vals []float64) {
	for p, c := range cols {
		to[c] = vals[p]
	}
}

// ExactSparseBytes returns the peak memory of [ExactSparse] in addition to the samples, including the
// graph.
func ExactSparseBytes(a *sparse.CSR, k, threads int) int64 {
	scratch := 8 * int64(blas.Threads(threads)) * int64(a.Rows+2*a.Cols+2*k)
	return GraphBytes(a.Rows, k) + 12*int64(a.NNZ()) + 16*int64(a.Cols) + 8*int64(a.Rows) + scratch
}

// SparseIndex is [Index] for reference samples in compressed rows, which are never made
// dense as a whole: it finds the same neighbours and distances. It shares the storage of
// the samples, which must not change. It is safe for concurrent searches.
// In addition to the samples it takes 12 bytes per entry, 8 per column and 8 per sample.
type SparseIndex struct {
	search *sparseSearch
	by     divided
	o      Options
}

// NewSparseIndex prepares an index of at least one sample, with finite entries.
// Samples of unusual magnitude are copied (see [Exact]). O(nnz).
func NewSparseIndex(reference *sparse.CSR, o Options) (*SparseIndex, error) {
	if reference.Rows < 1 || reference.Cols < 1 {
		return nil, fmt.Errorf("neighbors: no samples to search among (%d × %d)", reference.Rows, reference.Cols)
	}
	reference, by, err := ordinarySparse(reference)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	return &SparseIndex{search: newSparseSearch(reference), by: by, o: o}, nil
}

// Search finds, for every query, the k nearest of the reference samples, by the rules of
// [Index.Search]. O(Σ cⱼ + n) for each query, over its nonzero columns j, which have cⱼ
// entries among the samples; 8(n + 2m) bytes for each worker.
func (x *SparseIndex) Search(ctx context.Context, queries *sparse.CSR, k int) (*Graph, error) {
	reference := x.search.a
	if queries.Cols != reference.Cols {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.Cols, reference.Cols)
	}
	if k < 1 || k > reference.Rows {
		return nil, fmt.Errorf("neighbors: %d neighbours requested of %d samples; give a number from 1 to %d", k, reference.Rows, reference.Rows)
	}
	most := maxQuery(x.by.exponent)
	for i := range queries.Rows {
		cols, vals := queries.Row(i)
		for p, v := range vals {
			if err := checkQuery(i, int(cols[p]), v, most); err != nil {
				return nil, err
			}
		}
	}
	if x.by.exponent != 0 {
		scaled := *queries
		scaled.Val = magnitude.Scaled(-x.by.exponent, queries.Val)
		queries = &scaled
	}
	g := newGraph(queries.Rows, k)
	if err := x.search.searchAll(ctx, queries, k, x.o, g, func(int) int { return -1 }); err != nil {
		return nil, err
	}
	g.takeRoots()
	return g, x.by.restore(g)
}

// SparseIndexBytes returns the peak memory of [NewSparseIndex] and of searches for the given number of
// queries at a time, in addition to the samples and including the graph of the queries.
func SparseIndexBytes(reference *sparse.CSR, queries, k, threads int) int64 {
	return ExactSparseBytes(reference, k, threads) - GraphBytes(reference.Rows, k) + GraphBytes(queries, k)
}
