package neighbors

import (
	"context"
	"math"
	mathbits "math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// blockRows is the side of a tile of the Gram matrix: 512 KiB of products, which
// stay in the second-level cache until they are scanned.
const blockRows = 256

// blockSearch finds neighbours from products of blocks of the centred data,
// ‖x‖² + ‖y‖² − 2x·y, over half of the Gram matrix. The products only preselect:
// every sample that could be among the k nearest within the rounding bound of that
// formula is measured again by direct differences, so the result is exact, even
// if products are computed in single precision ([singleSearch], which holds
// another half copy of the data).
type blockSearch struct {
	x       centred
	whole   []float64 // the centred data; nil: rows are centred for each tile
	half    []float64 // ‖x̃ⱼ‖²/2, shrunk by the rounding bound
	reach   []float64 // half − (worst squared distance held)/2: a product above reach[i] + half[j] may enter i's list
	found   []nearest
	locks   []sync.Mutex // one for each block of rows
	kernels *blas.Kernels
	single  *singleSearch // nil: products in double precision
}

// searchProducts uses products of bytes if they are suitable, otherwise of numbers.
func searchProducts(ctx context.Context, x *Stored, k int, o Options, g *Graph) error {
	if suitsCodes(x, k, o) {
		if done, err := searchCodes(ctx, x, k, o, g); done || err != nil {
			return err
		}
	}
	return searchBlocks(ctx, x, k, o, g)
}

func searchBlocks(ctx context.Context, x *Stored, k int, o Options, g *Graph) error {
	s := &blockSearch{x: centred{x, columnMeans(x)}, kernels: o.Kernels}
	blocks := (x.n + blockRows - 1) / blockRows
	s.locks = make([]sync.Mutex, blocks)
	s.reach, s.found = make([]float64, x.n), make([]nearest, x.n)
	for i := range x.n {
		s.reach[i] = math.Inf(-1)
		s.found[i] = g.list(i)
	}
	s.half = s.x.squares()
	switch {
	case o.Kernels.Single():
		s.single = newSingleSearch(s.x, s.half)
	case x.narrow == nil:
		s.whole = s.x.rows(0, x.n, nil)
	}
	margin := productMargin(x.m)
	for i, square := range s.half {
		s.half[i] = square / 2 * (1 - 2*margin)
	}
	// Tiles by distance from the diagonal: neighbouring blocks of the input come
	// first, and tiles processed concurrently rarely share a block.
	tiles := diagonals{blocks}
	var done atomic.Int64
	buffers := sync.Pool{New: func() any { return new(products) }}
	err := blas.For(ctx, o.Threads, tiles.count(), 1, func(_, at, _ int) {
		p := buffers.Get().(*products)
		if p.rows[0] == nil {
			p.rows = [2][]float64{x.scratch(), x.scratch()}
		}
		row, column := tiles.at(at)
		s.tile(row, column, p)
		buffers.Put(p)
		o.Progress(float64(done.Add(1)) / float64(tiles.count()))
	})
	if err != nil {
		return err
	}
	for i := range s.found {
		s.found[i].finish()
	}
	return nil
}

// diagonals numbers the tiles of the upper triangle of a square of blocks by
// diagonals, from the main one on. For many tiles a list of them would take more memory than the
// samples.
type diagonals struct{ blocks int }

func (d diagonals) count() int { return d.before(d.blocks) }

// before returns the number of tiles on the first off diagonals.
func (d diagonals) before(off int) int { return off*d.blocks - off*(off-1)/2 }

// at returns the row and the column of a tile.
func (d diagonals) at(number int) (row, column int) {
	off := sort.Search(d.blocks, func(o int) bool { return d.before(o+1) > number })
	row = number - d.before(off)
	return row, row + off
}

// productMargin is the multiple of ‖x‖² + ‖y‖² that bounds the effect of rounding of the m-term
// product, of the norms and of the centring on the formula (Higham,
// Accuracy and Stability, 3.1, with a factor 2 to spare).
func productMargin(m int) float64 { return 4 * float64(m+16) * 0x1p-53 }

func columnMeans(x *Stored) []float64 {
	mean, into := make([]float64, x.m), x.scratch()
	for i := range x.n {
		blas.Axpy(1/float64(x.n), x.Row(i, into), mean)
	}
	return mean
}

// centred are samples minus the given means: products of centred rows have the smallest
// rounding errors.
type centred struct {
	*Stored
	mean []float64
}

// rows writes the centred rows from lo to hi.
func (c centred) rows(lo, hi int, into []float64) []float64 {
	into = slices.Grow(into[:0], (hi-lo)*c.m)[:(hi-lo)*c.m]
	for i := lo; i < hi; i++ {
		row := into[(i-lo)*c.m : (i-lo+1)*c.m]
		copy(row, c.Row(i, row))
		blas.Axpy(-1, c.mean, row)
	}
	return into
}

// squares returns the squared lengths of the centred rows.
func (c centred) squares() []float64 {
	s := make([]float64, c.n)
	var row []float64
	for i := range s {
		row = c.rows(i, i+1, row)
		s[i] = blas.Dot(row, row)
	}
	return s
}

// lessMeans returns the data minus the given means.
func lessMeans(x Points, mean []float64) []float64 {
	return centred{x.Stored(), mean}.rows(0, x.N, nil)
}

// products is the workspace for a tile, in either precision, and for the
// scan of a row.
type products struct {
	double []float64
	single []float32
	mask   [blockRows / 64]uint64
	a, b   []float64    // centred rows of the two blocks
	rows   [2][]float64 // for measuring, see [Stored.Row]
}

// tile processes the products of blocks a ≤ b, for the rows of a and, by symmetry,
// for the rows of b. Lists are updated under their blocks' locks. The order of the tiles
// does not change the lists, because only exact
// distances decide their content.
func (s *blockSearch) tile(a, b int, p *products) {
	alo, ahi := a*blockRows, min((a+1)*blockRows, s.x.n)
	blo, bhi := b*blockRows, min((b+1)*blockRows, s.x.n)
	one := s.single
	if one != nil && one.doubtful.Load() {
		one = nil
	}
	m, width := s.x.m, bhi-blo
	if one != nil {
		p.single = slices.Grow(p.single[:0], blockRows*blockRows)[:blockRows*blockRows]
		blas.MulTransposed32(ahi-alo, width, m, one.centred[alo*m:], m, one.centred[blo*m:], m, p.single, width)
	} else {
		p.double = slices.Grow(p.double[:0], blockRows*blockRows)[:blockRows*blockRows]
		if s.whole != nil {
			p.a, p.b = s.whole[alo*m:], s.whole[blo*m:]
		} else {
			p.a, p.b = s.x.rows(alo, ahi, p.a), s.x.rows(blo, bhi, p.b)
		}
		s.kernels.Gemm(false, true, ahi-alo, width, m, 1, p.a, m, p.b, m, 0, p.double, width)
	}
	s.locks[a].Lock()
	defer s.locks[a].Unlock()
	if a != b {
		s.locks[b].Lock()
		defer s.locks[b].Unlock()
	}
	measured := 0
	for i := alo; i < ahi; i++ {
		from := (i - alo) * width
		if one != nil {
			row := p.single[from : from+width]
			if blas.Candidates32(p.mask[:], row, one.half[blo:bhi], one.reach[blo:bhi], one.half[i], one.reach[i]) {
				measured += passing(s, i, blo, a == b, p, row, one.half, one.reach)
			}
		} else {
			row := p.double[from : from+width]
			if blas.Candidates(p.mask[:], row, s.half[blo:bhi], s.reach[blo:bhi], s.half[i], s.reach[i]) {
				measured += passing(s, i, blo, a == b, p, row, s.half, s.reach)
			}
		}
	}
	if one != nil {
		one.judge(b-a, measured, width*(ahi-alo), len(s.found[alo].square))
	}
}

// passing measures the pairs of sample i with samples of the block from blo on
// whose bit is set. The bounds of the lists fall meanwhile, so each pair is checked
// again. It returns the number measured.
func passing[T float32 | float64](s *blockSearch, i, blo int, diagonal bool, p *products, row, half, reach []T) (count int) {
	for word := range (len(row) + 63) / 64 {
		for bits := p.mask[word]; bits != 0; bits &= bits - 1 {
			q := word*64 + mathbits.TrailingZeros64(bits)
			v, j := row[q], blo+q
			if v-half[j] >= reach[i] && j != i {
				s.measure(i, j, p)
				count++
			}
			if !diagonal && v-half[i] >= reach[j] {
				s.measure(j, i, p)
				count++
			}
		}
	}
	return count
}

// measure offers sample j to the list of sample i with its exact distance.
func (s *blockSearch) measure(i, j int, p *products) {
	found := &s.found[i]
	if found.closed(int32(j)) {
		return
	}
	found.offer(blas.SquaredDistance(s.x.Row(i, p.rows[0]), s.x.Row(j, p.rows[1])), int32(j))
	if found.full() {
		s.reach[i] = s.half[i] - found.bound()/2
		if s.single != nil {
			s.single.tighten(i, found.bound())
		}
	}
}

// singleSearch is the blocked search with products in single precision, at twice the
// speed and half the memory traffic. It has the data and thresholds of [blockSearch], scaled so that no
// centred row is longer than 1, with a wider margin.
type singleSearch struct {
	centred     []float32
	half, reach []float32
	shrunk      []float64 // half before rounding
	scale       float64   // of squared lengths
	doubtful    atomic.Bool
}

// newSingleSearch also takes the squared lengths of the centred rows.
func newSingleSearch(x centred, squares []float64) *singleSearch {
	s := &singleSearch{centred: make([]float32, x.n*x.m), scale: 1,
		half: make([]float32, x.n), reach: make([]float32, x.n), shrunk: make([]float64, x.n)}
	length := 1.0 // a power of two, so that scaling is exact
	if longest := slices.Max(squares); longest > 0 {
		_, exponent := math.Frexp(math.Sqrt(longest))
		length = math.Ldexp(1, -max(exponent, -500))
		s.scale = length * length
	}
	margin := singleMargin(x.m)
	var row []float64
	for i, square := range squares {
		row = x.rows(i, i+1, row)
		single := s.centred[i*x.m : (i+1)*x.m]
		for j, v := range row {
			single[j] = float32(v * length)
		}
		s.shrunk[i] = square*s.scale/2*(1-2*margin) - singleTiny
		s.half[i] = down[float32](s.shrunk[i])
		s.reach[i] = float32(math.Inf(-1))
	}
	return s
}

// singleMargin is the margin for m-term products. With u = 2⁻²⁴, rounding of the
// data changes a product by at most 2u·‖x‖‖y‖, rounding of its sums, over 256 terms at a time,
// by (256 + m/256 + 2)u·‖x‖‖y‖, and the comparison by 2u(‖x‖² + ‖y‖²). Since
// ‖x‖‖y‖ ≤ (‖x‖² + ‖y‖²)/2, the margin is about twice the necessary one.
func singleMargin(m int) float64 { return float64(min(m, 256)+m/256+16) * 0x1p-24 }

// singleTiny covers numbers too small for single precision.
const singleTiny = 1e-36

// tighten lowers the reach of sample i to the worst squared distance it holds.
func (s *singleSearch) tighten(i int, bound float64) {
	s.reach[i] = down[float32](s.shrunk[i] - bound*s.scale/2)
}

// judge gives single precision up if it does not separate samples: among points in
// tight clusters far apart, the margin lets whole clusters pass. Tiles away
// from the diagonal, whose lists are full, should measure few of their pairs.
func (s *singleSearch) judge(off, measured, pairs, k int) {
	if off > 2+k/32 && measured > pairs/4 {
		s.doubtful.Store(true)
	}
}
