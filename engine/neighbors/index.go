package neighbors

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// Index holds reference samples made ready for searches: a k-d tree for few
// columns, centred copies for products of blocks for many. It shares the storage
// of the samples, which must not change, and any number of goroutines may search
// it at a time. Beside the samples it takes 8m + 12 bytes a sample for the tree
// and 4m + 4 for the products in single precision, which it prefers.
type Index struct {
	reference Points // over a power of two where they are of no ordinary size
	by        divided
	o         Options
	tree      *kdTree // nil: products

	mean     []float64
	single   *prepared[float32]        // nil: products in double precision
	double   func() *prepared[float64] // made when it is first wanted
	doubtful atomic.Bool               // single precision does not separate these samples
}

// NewIndex prepares an index. There must be a sample, and entries must be finite. Samples
// of no ordinary size are copied (see [Exact]). O(n log n) for few columns, O(nm) for many.
func NewIndex(reference Points, o Options) (*Index, error) {
	if reference.N < 1 || reference.M < 1 {
		return nil, fmt.Errorf("neighbors: no samples to search among (%d × %d)", reference.N, reference.M)
	}
	if err := checkFinite(reference); err != nil {
		return nil, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	reference, by := ordinary(reference)
	x := &Index{reference: reference, by: by, o: o}
	if o.method == tree || o.method == automatic && reference.M <= treeColumns {
		x.tree = newKDTree(reference)
		return x, nil
	}
	x.mean = columnMeans(reference)
	if o.Kernels.Single() {
		x.single = prepareSingle(newSingleSearch(reference, lessMeans(reference, x.mean)), reference)
	}
	x.double = sync.OnceValue(func() *prepared[float64] {
		return prepareDouble(lessMeans(reference, x.mean), reference, o.Kernels)
	})
	return x, nil
}

// Search finds, for every query, the k nearest of the reference samples, by the
// rules of [Exact]; a query that equals a reference sample finds it at distance
// 0. k must be in [1, n] for n reference samples. The graph has a list for each
// query. The result of a query does not depend on the others, nor on the number
// of threads. Queries must be below 1e150 in size, or 1e150 times the largest of samples
// of no ordinary size. O(log n) a query for few columns, nm multiplications for many.
func (x *Index) Search(ctx context.Context, queries Points, k int) (*Graph, error) {
	if queries.M != x.reference.M {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.M, x.reference.M)
	}
	if k < 1 || k > x.reference.N {
		return nil, fmt.Errorf("neighbors: %d neighbours asked of %d samples; give a number from 1 to %d", k, x.reference.N, x.reference.N)
	}
	if err := checkQueries(queries, x.by.exponent); err != nil {
		return nil, err
	}
	queries = queries.over(x.by.exponent)
	g := newGraph(queries.N, k)
	search := x.searchProducts
	if x.tree != nil {
		search = x.searchTree
	}
	if err := search(ctx, queries, g); err != nil {
		return nil, err
	}
	g.takeRoots()
	return g, x.by.restore(g)
}

func (x *Index) searchTree(ctx context.Context, queries Points, g *Graph) error {
	return blas.For(ctx, x.o.Threads, queries.N, 256, func(_, lo, hi int) {
		q := query{tree: x.tree, side: make([]float64, x.tree.m), self: -1}
		for i := lo; i < hi; i++ {
			q.point, q.found = queries.Row(i), g.list(i)
			q.visit(0, 0)
			q.found.finish()
		}
	})
}

// searchProducts preselects by products of centred blocks, as [blockSearch]
// does, and measures what passes. Which precision preselects changes no bit.
func (x *Index) searchProducts(ctx context.Context, queries Points, g *Graph) error {
	type scratch struct {
		single queryBlock[float32]
		double queryBlock[float64]
	}
	workers := make([]scratch, blas.Threads(x.o.Threads))
	return blas.For(ctx, x.o.Threads, queries.N, blockRows, func(w, lo, hi int) {
		part := Points{N: hi - lo, M: queries.M, Data: queries.Data[lo*queries.M : hi*queries.M]}
		if x.single == nil || x.doubtful.Load() {
			workers[w].double.search(x.double(), x, part, g, lo)
			return
		}
		later := workers[w].single.search(x.single, x, part, g, lo)
		if later > part.N*max(x.reference.N-blockRows, 0)/4 {
			x.doubtful.Store(true)
		}
	})
}

// prepared are the reference samples as the products of one precision compare
// them. In the notation of [blockSearch], sample j may be among the k nearest of
// query i only if a product is at least reach[i] + half[j].
type prepared[T float32 | float64] struct {
	centred []T
	half    []T
	never   []T     // thresholds that no product reaches
	scale   float64 // of squared lengths
	margin  float64 // see [singleSearch] and [productMargin]
	tiny    float64
	longest float64 // the largest ‖x̃‖²/2, scaled
	limit   float64 // queries of larger ‖x̃‖²/2, scaled, are not compared by products

	multiply   func(rows, width, m int, a, b, c []T) // C = A·Bᵀ
	candidates func(mask []uint64, g, h, r []T, c, t T) bool
}

func prepareSingle(s *singleSearch, x Points) *prepared[float32] {
	p := &prepared[float32]{centred: s.centred, half: s.half, never: unreachable[float32](),
		scale: s.scale, margin: singleMargin(x.M), tiny: singleTiny, longest: 0.5, limit: 0x1p60, candidates: blas.Candidates32}
	p.multiply = func(rows, width, m int, a, b, c []float32) {
		blas.MulTransposed32(rows, width, m, a, m, b, m, c, width)
	}
	return p
}

func prepareDouble(centred []float64, x Points, kernels *blas.Kernels) *prepared[float64] {
	p := &prepared[float64]{centred: centred, half: make([]float64, x.N), never: unreachable[float64](),
		scale: 1, margin: productMargin(x.M), limit: math.Inf(1), candidates: blas.Candidates}
	for j := range p.half {
		row := centred[j*x.M : (j+1)*x.M]
		square := blas.Dot(row, row) / 2
		p.half[j], p.longest = square*(1-2*p.margin), max(p.longest, square)
	}
	p.multiply = func(rows, width, m int, a, b, c []float64) {
		kernels.Gemm(false, true, rows, width, m, 1, a, m, b, m, 0, c, width)
	}
	return p
}

func unreachable[T float32 | float64]() []T {
	r := make([]T, blockRows)
	for q := range r {
		r[q] = T(math.Inf(1))
	}
	return r
}

// Search finds, for every query, the k nearest of the reference samples. It is
// [NewIndex] and [Index.Search] in one, for queries that come all at once.
func Search(ctx context.Context, reference, queries Points, k int, o Options) (*Graph, error) {
	if queries.M != reference.M {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.M, reference.M)
	}
	x, err := NewIndex(reference, o)
	if err != nil {
		return nil, err
	}
	return x.Search(ctx, queries, k)
}
