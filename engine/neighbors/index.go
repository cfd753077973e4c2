package neighbors

import (
	"context"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// Index holds reference samples made ready for searches: a k-d tree for few
// columns, bytes for many, whose products leave few samples to measure. It shares the storage
// of the samples, which must not change, and any number of goroutines may search
// it at a time. In addition to the samples it takes 8m + 12 bytes per sample for the tree
// and m + 12 for bytes, or, once it has met queries that bytes do not separate, 4m + 4 for products in
// single precision. From 256 columns on, the third search of one or two queries adds 76 bytes per sample, by
// which such searches read a few coordinates of most samples.
type Index struct {
	reference *Stored // divided by a power of two if they are of unusual magnitude
	by        divided
	o         Options
	tree      *kdTree // nil: products

	coded    *codedIndex               // nil: products in floating point
	unclear  atomic.Bool               // codes do not separate these samples
	mean     func() []float64          // made on first use, like the next
	single   func() *prepared[float32] // nil: products in double precision
	double   func() *prepared[float64]
	doubtful atomic.Bool // single precision does not separate these samples
}

// NewIndex prepares an index of at least one sample, with finite entries. Samples
// of unusual magnitude are copied (see [Exact]). O(n log n) for few columns, O(nm) for many.
func NewIndex(reference Points, o Options) (*Index, error) { return newIndex(reference.Stored(), o) }

func newIndex(reference *Stored, o Options) (*Index, error) {
	if reference.n < 1 || reference.m < 1 {
		return nil, fmt.Errorf("neighbors: no samples to search among (%d × %d)", reference.n, reference.m)
	}
	reference, by, err := reference.ordinary()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	x := &Index{reference: reference, by: by, o: o}
	if o.method == tree || o.method == automatic && reference.m <= treeColumns {
		x.tree = newKDTree(reference.Points(), o.Threads)
		return x, nil
	}
	if o.Kernels.Single() && reference.m >= indexColumns && reference.m <= blas.MaxCodeColumns && o.method != blocked {
		if x.coded, err = newCodedIndex(reference, o.Threads); err != nil {
			return nil, err
		}
		x.coded.projectWith(o.Kernels, o.Threads)
	}
	rows := sync.OnceValue(func() centred { return centred{reference, columnMeans(reference)} })
	x.mean = func() []float64 { return rows().mean }
	if o.Kernels.Single() {
		x.single = sync.OnceValue(func() *prepared[float32] {
			return prepareSingle(newSingleSearch(rows(), rows().squares()), reference.m)
		})
	}
	x.double = sync.OnceValue(func() *prepared[float64] { return prepareDouble(rows(), o.Kernels) })
	return x, nil
}

// indexColumns is the number of columns from which codes are faster than single precision (BenchmarkIndex).
const indexColumns = 16

// Search finds, for every query, the k nearest of the reference samples, by the
// rules of [Exact]; a query that equals a reference sample finds it at distance
// 0. k must be in [1, n] for n reference samples. The graph has one list for each
// query. The result of a query depends neither on the others nor on the number
// of threads. Queries must be below 1e150 in magnitude, or below 1e150 times the largest sample if
// the samples are of unusual magnitude. O(log n) for each query with few columns, nm multiplications with
// many.
func (x *Index) Search(ctx context.Context, queries Points, k int) (*Graph, error) {
	return x.nearest(ctx, queries.Stored(), k)
}

func (x *Index) nearest(ctx context.Context, queries *Stored, k int) (*Graph, error) {
	if queries.m != x.reference.m {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.m, x.reference.m)
	}
	if n := x.reference.n; k < 1 || k > n {
		return nil, fmt.Errorf("neighbors: %d neighbours requested of %d samples; give a number from 1 to %d", k, n, n)
	}
	if err := checkQueries(queries, x.by.exponent); err != nil {
		return nil, err
	}
	queries = queries.over(x.by.exponent)
	g := newGraph(queries.n, k)
	search := x.searchProducts
	if x.tree != nil {
		search = x.searchTree
	} else if x.coded != nil && !x.unclear.Load() {
		done, err := x.coded.search(ctx, queries, g, x.o.Threads)
		if err != nil {
			return nil, err
		}
		if done {
			search = nil
		} else {
			x.unclear.Store(true)
		}
	}
	if search != nil {
		if err := search(ctx, queries, g); err != nil {
			return nil, err
		}
	}
	g.takeRoots()
	return g, x.by.restore(g)
}

func (x *Index) searchTree(ctx context.Context, queries *Stored, g *Graph) error {
	return blas.For(ctx, x.o.Threads, queries.n, 256, func(_, lo, hi int) {
		q := query{tree: x.tree, side: make([]float64, x.tree.m), self: -1}
		into := queries.scratch()
		for i := lo; i < hi; i++ {
			q.point, q.found = queries.Row(i, into), g.list(i)
			q.visit(0, 0)
			q.found.finish()
		}
	})
}

// searchProducts preselects by products of centred blocks, as [blockSearch]
// does, and measures the remaining pairs. The precision of the products does not change the result.
func (x *Index) searchProducts(ctx context.Context, queries *Stored, g *Graph) error {
	type scratch struct {
		rows   []float64
		single queryBlock[float32]
		double queryBlock[float64]
	}
	workers := make([]scratch, blas.Threads(x.o.Threads))
	return blas.For(ctx, x.o.Threads, queries.n, blockRows, func(w, lo, hi int) {
		part := queries.block(lo, hi, &workers[w].rows)
		if x.single == nil || x.doubtful.Load() {
			workers[w].double.search(x.double(), x, part, g, lo)
			return
		}
		later := workers[w].single.search(x.single(), x, part, g, lo)
		if later > part.N*max(x.reference.n-blockRows, 0)/4 {
			x.doubtful.Store(true)
		}
	})
}

// prepared are the reference samples for products in one
// precision. In the notation of [blockSearch], sample j may be among the k nearest of
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

func prepareSingle(s *singleSearch, m int) *prepared[float32] {
	p := &prepared[float32]{centred: s.centred, half: s.half, never: unreachable[float32](),
		scale: s.scale, margin: singleMargin(m), tiny: singleTiny, longest: 0.5, limit: 0x1p60, candidates: blas.Candidates32}
	p.multiply = func(rows, width, m int, a, b, c []float32) {
		blas.MulTransposed32(rows, width, m, a, m, b, m, c, width)
	}
	return p
}

func prepareDouble(x centred, kernels *blas.Kernels) *prepared[float64] {
	p := &prepared[float64]{centred: x.rows(0, x.n, nil), half: x.squares(), never: unreachable[float64](),
		scale: 1, margin: productMargin(x.m), limit: math.Inf(1), candidates: blas.Candidates}
	for j, square := range p.half {
		square /= 2
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
// [NewIndex] and [Index.Search] in one, for a single set of queries.
func Search(ctx context.Context, reference, queries Points, k int, o Options) (*Graph, error) {
	return searchStored(ctx, reference.Stored(), queries.Stored(), k, o)
}

func searchStored(ctx context.Context, reference, queries *Stored, k int, o Options) (*Graph, error) {
	if queries.m != reference.m {
		return nil, fmt.Errorf("neighbors: queries of %d columns among samples of %d", queries.m, reference.m)
	}
	x, err := newIndex(reference, o)
	if err != nil {
		return nil, err
	}
	return x.nearest(ctx, queries, k)
}

// queryBlock is the search of a block of queries, with the workspace of one worker.
type queryBlock[T float32 | float64] struct {
	p     *prepared[T]
	index *Index
	part  Points

	into     []float64 // a sample, see [Stored.Row]
	centred  []float64
	rows     []T // the same, scaled and rounded
	products []T
	found    []nearest
	length   []float64 // ‖x̃‖²/2 of each query, scaled
	reach    []T       // see [prepared]
	far      []bool    // beyond the limit for products
	best     []T
	mask     [blockRows / 64]uint64
}

// search fills the lists of the queries, which are the lists of g from first on. It
// returns the number of pairs measured after the first block of samples.
func (b *queryBlock[T]) search(p *prepared[T], index *Index, part Points, g *Graph, first int) (later int) {
	b.p, b.index, b.part = p, index, part
	if b.into == nil {
		b.into = index.reference.scratch()
	}
	b.begin(g, first)
	m, n := part.M, index.reference.n
	for at := 0; at < n; at += blockRows {
		width := min(blockRows, n-at)
		p.multiply(part.N, width, m, b.rows, p.centred[at*m:], b.products)
		for i := range part.N {
			if b.far[i] {
				continue
			}
			row, half := b.products[i*width:(i+1)*width], p.half[at:at+width]
			if at == 0 {
				b.guess(i, row, half)
			}
			if count := b.scan(i, at, row, half); at > 0 {
				later += count
			}
		}
	}
	for i := range b.found {
		if b.far[i] {
			for j := range n {
				b.measure(i, j)
			}
		}
		b.found[i].finish()
	}
	return later
}

// begin centres and scales the queries.
func (b *queryBlock[T]) begin(g *Graph, first int) {
	p, n, m := b.p, b.part.N, b.part.M
	b.centred, b.rows = slices.Grow(b.centred[:0], m)[:m], slices.Grow(b.rows[:0], n*m)[:n*m]
	b.products = slices.Grow(b.products[:0], n*blockRows)[:n*blockRows]
	b.found, b.far = slices.Grow(b.found[:0], n)[:n], slices.Grow(b.far[:0], n)[:n]
	b.length, b.reach = slices.Grow(b.length[:0], n)[:n], slices.Grow(b.reach[:0], n)[:n]
	factor, mean := math.Sqrt(p.scale), b.index.mean() // a power of two
	for i := range n {
		for c, v := range b.part.Row(i) {
			b.centred[c] = v - mean[c]
		}
		b.length[i] = blas.Dot(b.centred, b.centred) / 2 * p.scale
		b.far[i] = b.length[i] > p.limit
		row := b.rows[i*m : (i+1)*m]
		if b.far[i] {
			clear(row)
		} else {
			for c, v := range b.centred {
				row[c] = T(v * factor)
			}
		}
		b.found[i], b.reach[i] = g.list(first+i), T(math.Inf(-1))
	}
}

// guess raises the reach of query i to the bound that follows from the products with the first block of
// samples: k of those samples are no farther away than the k-th best product says, whatever the
// rounding, so few of the others need to be measured.
// By the bounds of [singleSearch], a pair whose product exceeds half[j] by v has
// a scaled d²/2 of at most A(1 + 2μ) + 4μB − v, where A and B are ‖x̃‖²/2 of the
// query and of the sample and μ is the margin. The threshold is then
// v − 4μ(A + B), and twice that margin is used.
func (b *queryBlock[T]) guess(i int, row, half []T) {
	k := len(b.found[i].square)
	if k > insertionLimit || 2*k > len(row) {
		return
	}
	best := b.best[:0] // the k largest, descending
	for q, v := range row {
		v -= half[q]
		if len(best) == k && v <= best[k-1] {
			continue
		}
		if len(best) < k {
			best = append(best, v)
		}
		at := len(best) - 1
		for at > 0 && best[at-1] < v {
			best[at] = best[at-1]
			at--
		}
		best[at] = v
	}
	b.best = best
	b.reach[i] = down[T](float64(best[k-1]) - 8*b.p.margin*(b.length[i]+b.p.longest) - 4*b.p.tiny)
}

// scan measures the pairs of query i with the samples from lo on whose products
// reach the threshold. The bound falls meanwhile, so each pair is checked again.
func (b *queryBlock[T]) scan(i, lo int, row, half []T) (count int) {
	if !b.p.candidates(b.mask[:], row, half, b.p.never[:len(row)], 0, b.reach[i]) {
		return 0
	}
	for word := range (len(row) + 63) / 64 {
		for bits := b.mask[word]; bits != 0; bits &= bits - 1 {
			q := word*64 + mathbits.TrailingZeros64(bits)
			if row[q]-half[q] >= b.reach[i] {
				b.measure(i, lo+q)
				count++
			}
		}
	}
	return count
}

// measure offers sample j to the list of query i with its exact distance.
func (b *queryBlock[T]) measure(i, j int) {
	found := &b.found[i]
	if found.closed(int32(j)) {
		return
	}
	found.offer(blas.SquaredDistance(b.part.Row(i), b.index.reference.Row(j, b.into)), int32(j))
	if found.full() && !b.far[i] {
		p := b.p
		b.reach[i] = max(b.reach[i], down[T](b.length[i]*(1-2*p.margin)-p.tiny-found.bound()*p.scale/2))
	}
}

// down returns the largest T that is not above x.
func down[T float32 | float64](x float64) T {
	y := T(x)
	if float64(y) > x {
		y = T(math.Nextafter32(float32(y), float32(math.Inf(-1))))
	}
	return y
}
