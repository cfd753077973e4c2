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
// stays in the second-level cache between the product and its scan.
const blockRows = 256

// blockSearch finds neighbours from products of blocks of the centred data,
// ‖x‖² + ‖y‖² − 2x·y, over half of the Gram matrix. The products only preselect:
// whatever could be among the k nearest within the rounding bound of that
// formula is measured again by direct differences, so the result is exact, also
// where the products are formed in single precision ([singleSearch], which holds
// another half copy of the data).
type blockSearch struct {
	x       Points
	centred []float64
	half    []float64 // ‖x̃ⱼ‖²/2, shrunk by the rounding bound
	reach   []float64 // half − (worst squared distance held)/2: a product above reach[i] + half[j] enters i's list
	found   []nearest
	locks   []sync.Mutex // one a block of rows
	kernels *blas.Kernels
	single  *singleSearch // nil: products in double precision
}

// searchProducts takes bytes where they serve, else numbers.
func searchProducts(ctx context.Context, x Points, k int, o Options, g *Graph) error {
	if suitsCodes(x, k, o) {
		if done, err := searchCodes(ctx, x, k, o, g); done || err != nil {
			return err
		}
	}
	return searchBlocks(ctx, x, k, o, g)
}

func searchBlocks(ctx context.Context, x Points, k int, o Options, g *Graph) error {
	s := &blockSearch{x: x, kernels: o.Kernels, centred: lessMeans(x, columnMeans(x))}
	blocks := (x.N + blockRows - 1) / blockRows
	s.locks = make([]sync.Mutex, blocks)
	s.half, s.reach, s.found = make([]float64, x.N), make([]float64, x.N), make([]nearest, x.N)
	margin := productMargin(x.M)
	for i := range x.N {
		row := s.centred[i*x.M : (i+1)*x.M]
		s.half[i] = blas.Dot(row, row) / 2 * (1 - 2*margin)
		s.reach[i] = math.Inf(-1)
		s.found[i] = g.list(i)
	}
	if o.Kernels.Single() {
		s.single = newSingleSearch(x, s.centred)
	}
	// Tiles by distance from the diagonal: neighbouring blocks of the input come
	// first, and the tiles under way at one time rarely share a block.
	tiles := diagonals{blocks}
	var done atomic.Int64
	buffers := sync.Pool{New: func() any { return new(products) }}
	err := blas.For(ctx, o.Threads, tiles.count(), 1, func(_, at, _ int) {
		p := buffers.Get().(*products)
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

// diagonals numbers the tiles of the upper triangle of a square of this many blocks by
// diagonals, from the main one on. A list of them would take more memory than the
// samples where there are many.
type diagonals struct{ blocks int }

func (d diagonals) count() int { return d.before(d.blocks) }

// before is the number of tiles on the first this many diagonals.
func (d diagonals) before(off int) int { return off*d.blocks - off*(off-1)/2 }

// at returns the row and the column of a tile.
func (d diagonals) at(number int) (row, column int) {
	off := sort.Search(d.blocks, func(o int) bool { return d.before(o+1) > number })
	row = number - d.before(off)
	return row, row + off
}

// productMargin is the multiple of ‖x‖² + ‖y‖² by which rounding of the m-term
// product, of the norms and of the centring moves the formula at most (Higham,
// Accuracy and Stability, 3.1, with a factor 2 to spare).
func productMargin(m int) float64 { return 4 * float64(m+16) * 0x1p-53 }

func columnMeans(x Points) []float64 {
	mean := make([]float64, x.M)
	for i := range x.N {
		blas.Axpy(1/float64(x.N), x.Row(i), mean)
	}
	return mean
}

// lessMeans returns the data less the means given: products of centred rows lose
// the fewest digits.
func lessMeans(x Points, mean []float64) []float64 {
	c := make([]float64, x.N*x.M)
	for i := range x.N {
		out := c[i*x.M : (i+1)*x.M]
		for j, v := range x.Row(i) {
			out[j] = v - mean[j]
		}
	}
	return c
}

// products is the memory of a tile, in one precision or the other, and of the
// scan of a row.
type products struct {
	double []float64
	single []float32
	mask   [blockRows / 64]uint64
}

// tile treats the products of blocks a ≤ b, for the rows of a and, by symmetry,
// for the rows of b. Lists are updated under their blocks' locks; which tile comes
// first does not change them, because their content is decided by exact
// distances alone.
func (s *blockSearch) tile(a, b int, p *products) {
	alo, ahi := a*blockRows, min((a+1)*blockRows, s.x.N)
	blo, bhi := b*blockRows, min((b+1)*blockRows, s.x.N)
	one := s.single
	if one != nil && one.doubtful.Load() {
		one = nil
	}
	m, width := s.x.M, bhi-blo
	if one != nil {
		p.single = slices.Grow(p.single[:0], blockRows*blockRows)[:blockRows*blockRows]
		blas.MulTransposed32(ahi-alo, width, m, one.centred[alo*m:], m, one.centred[blo*m:], m, p.single, width)
	} else {
		p.double = slices.Grow(p.double[:0], blockRows*blockRows)[:blockRows*blockRows]
		s.kernels.Gemm(false, true, ahi-alo, width, m, 1, s.centred[alo*m:], m, s.centred[blo*m:], m, 0, p.double, width)
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
				measured += passing(s, i, blo, a == b, p.mask[:], row, one.half, one.reach)
			}
		} else {
			row := p.double[from : from+width]
			if blas.Candidates(p.mask[:], row, s.half[blo:bhi], s.reach[blo:bhi], s.half[i], s.reach[i]) {
				measured += passing(s, i, blo, a == b, p.mask[:], row, s.half, s.reach)
			}
		}
	}
	if one != nil {
		one.judge(b-a, measured, width*(ahi-alo), len(s.found[alo].square))
	}
}

// passing measures the pairs of sample i with samples of the block from blo on
// whose bit is set. The lists tighten on the way, so each pair is checked
// again. It returns the number measured.
func passing[T float32 | float64](s *blockSearch, i, blo int, diagonal bool, mask []uint64, row, half, reach []T) (count int) {
	for word := range (len(row) + 63) / 64 {
		for bits := mask[word]; bits != 0; bits &= bits - 1 {
			q := word*64 + mathbits.TrailingZeros64(bits)
			v, j := row[q], blo+q
			if v-half[j] >= reach[i] && j != i {
				s.measure(i, j)
				count++
			}
			if !diagonal && v-half[i] >= reach[j] {
				s.measure(j, i)
				count++
			}
		}
	}
	return count
}

// measure offers sample j to the list of sample i at its exact distance.
func (s *blockSearch) measure(i, j int) {
	found := &s.found[i]
	if found.closed(int32(j)) {
		return
	}
	found.offer(blas.SquaredDistance(s.x.Row(i), s.x.Row(j)), int32(j))
	if found.full() {
		s.reach[i] = s.half[i] - found.bound()/2
		if s.single != nil {
			s.single.tighten(i, found.bound())
		}
	}
}

// singleSearch holds the data of the blocked search with products in single precision, at twice the
// speed and half the traffic: the data and the thresholds of [blockSearch], scaled so that no
// centred row is longer than 1, with a wider margin.
type singleSearch struct {
	centred     []float32
	half, reach []float32
	shrunk      []float64 // half before rounding
	scale       float64   // of squared lengths
	doubtful    atomic.Bool
}

func newSingleSearch(x Points, centred []float64) *singleSearch {
	s := &singleSearch{centred: make([]float32, len(centred)), scale: 1,
		half: make([]float32, x.N), reach: make([]float32, x.N), shrunk: make([]float64, x.N)}
	var longest float64
	for i := range x.N {
		row := centred[i*x.M : (i+1)*x.M]
		s.shrunk[i] = blas.Dot(row, row)
		longest = max(longest, s.shrunk[i])
	}
	length := 1.0 // a power of two, which loses no digit
	if longest > 0 {
		_, exponent := math.Frexp(math.Sqrt(longest))
		length = math.Ldexp(1, -max(exponent, -500))
		s.scale = length * length
	}
	for i, v := range centred {
		s.centred[i] = float32(v * length)
	}
	margin := singleMargin(x.M)
	for i, square := range s.shrunk {
		s.shrunk[i] = square*s.scale/2*(1-2*margin) - singleTiny
		s.half[i] = down[float32](s.shrunk[i])
		s.reach[i] = float32(math.Inf(-1))
	}
	return s
}

// singleMargin is the margin of m-term products. With u = 2⁻²⁴, rounding of the
// data moves a product by 2u·‖x‖‖y‖, rounding of its sums, over 256 terms at a time,
// by (256 + m/256 + 2)u·‖x‖‖y‖, and the comparison by 2u(‖x‖² + ‖y‖²). Since
// ‖x‖‖y‖ ≤ (‖x‖² + ‖y‖²)/2, the margin is about twice the necessary one.
func singleMargin(m int) float64 { return float64(min(m, 256)+m/256+16) * 0x1p-24 }

// singleTiny covers numbers too small for single precision.
const singleTiny = 1e-36

// tighten lowers the reach of sample i to the worst squared distance it holds.
func (s *singleSearch) tighten(i int, bound float64) {
	s.reach[i] = down[float32](s.shrunk[i] - bound*s.scale/2)
}

// judge gives single precision up where it does not separate: among points in
// tight clusters far apart, the margin lets whole clusters through. Tiles away
// from the diagonal, whose lists are full, should measure few of their pairs.
func (s *singleSearch) judge(off, measured, pairs, k int) {
	if off > 2+k/32 && measured > pairs/4 {
		s.doubtful.Store(true)
	}
}
