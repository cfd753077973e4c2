package neighbors

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// codedSearch finds neighbours from products of bytes. Every sample is rounded to bytes
// with a known error (see [coding]), and products of bytes are exact, so the
// distance between two samples equals that between their codes up to the errors of
// both. Samples that may be among the k nearest within that bound are kept, and their exact distances
// decide: the lists are identical to those of [blockSearch], to the bit.
type codedSearch struct {
	*coding
	k      int
	half   []int32 // ⌊‖cⱼ‖²/2⌋
	above  []int32 // a product minus half[j] must exceed it to enter list i
	lists  []codedList
	locks  []sync.Mutex // one for each block of rows
	doubts atomic.Bool  // codes do not separate these samples
}

// codedList holds the candidates for the neighbours of a sample.
type codedList struct {
	nearest []int32 // the k smallest squared distances between codes, ascending
	pending []codedPair
	most    int32 // the largest squared distance between codes that may still enter
	found   nearest
}

// codedPair is a neighbour not yet measured.
type codedPair struct{ square, index int32 }

const (
	// From codedColumns + columnsPerNeighbor·k columns on, products take longer than the steps after them
	// (measured on normal samples, the worst case).
	codedColumns       = 128
	columnsPerNeighbor = 4

	farthest = 1 << 30 // exceeds every squared distance between codes
)

// pendingPairs bounds the neighbours in a list that wait to be measured.
func pendingPairs(k int) int { return 4*k + 64 }

// suitsCodes reports whether to search the samples by codes.
func suitsCodes(x *Stored, k int, o Options) bool {
	if o.method != automatic || x.m > blas.MaxCodeColumns {
		return o.method == coded
	}
	return o.Kernels.Single() && x.m >= codedColumns+columnsPerNeighbor*k
}

// searchCodes fills the lists of g; false: codes do not separate the samples well enough.
func searchCodes(ctx context.Context, x *Stored, k int, o Options, g *Graph) (bool, error) {
	c, err := encode(ctx, x, o.Threads)
	if err != nil {
		return false, err
	}
	blocks, room := (x.n+blockRows-1)/blockRows, pendingPairs(k)
	s := &codedSearch{coding: c, k: k, locks: make([]sync.Mutex, blocks), lists: make([]codedList, x.n),
		half: make([]int32, x.n), above: make([]int32, x.n)}
	best, pending := make([]int32, x.n*k), make([]codedPair, x.n*room)
	for i := range x.n {
		s.half[i], s.above[i] = c.square[i]/2, -farthest
		s.lists[i] = codedList{nearest: best[i*k : i*k : (i+1)*k], most: farthest, found: g.list(i),
			pending: pending[i*room : i*room : (i+1)*room]}
	}
	tiles := diagonals{blocks}
	workers := make([]codedTile, blas.Threads(o.Threads))
	for w := range workers {
		workers[w].rows = [2][]float64{x.scratch(), x.scratch()}
	}
	s.doubts.Store(!s.separates(&workers[0]))
	var done atomic.Int64
	err = blas.For(ctx, o.Threads, tiles.count(), 1, func(w, at, _ int) {
		if s.doubts.Load() {
			return
		}
		row, column := tiles.at(at)
		s.tile(row, column, &workers[w])
		o.Progress(float64(done.Add(1)) / float64(tiles.count()))
	})
	if err != nil || s.doubts.Load() {
		pages.Reuse(codedBytes(x.n, x.m, k, o.Threads))
		return false, err
	}
	return true, blas.For(ctx, o.Threads, x.n, blockRows, func(w, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.drop(i)
			s.measure(i, &workers[w])
			s.lists[i].found.finish()
		}
	})
}

// codedTile is the workspace of one worker.
type codedTile struct {
	products []int32
	mask     [blockRows / 64]uint64
	rows     [2][]float64 // for measuring, see [Stored.Row]
}

// products computes the products of two blocks.
func (s *codedSearch) products(a, b int, t *codedTile) (rows, width int) {
	if t.products == nil {
		t.products = make([]int32, blockRows*blockRows)
	}
	rows, width = min(blockRows, s.x.n-a*blockRows), min(blockRows, s.x.n-b*blockRows)
	s.codes.Products(a*blockRows, rows, b*blockRows, width, t.products, blockRows)
	return rows, width
}

// separates decides from the first block whether codes leave few candidates: not many more than
// the k nearest.
func (s *codedSearch) separates(t *codedTile) bool {
	rows, _ := s.products(0, 0, t)
	square, left := make([]int32, rows), 0
	if rows <= s.k {
		return true
	}
	for i := range rows {
		for j := range square {
			square[j] = s.square[i] + s.square[j] - 2*t.products[i*blockRows+j]
		}
		slices.Sort(square) // the sample itself comes first
		most := s.reach(i, square[s.k])
		left += sort.Search(rows, func(p int) bool { return square[p] > most }) - 1
	}
	return left <= rows*min(6*s.k, (rows+s.k)/2)
}

// tile processes the products of blocks a ≤ b as [blockSearch.tile] does.
func (s *codedSearch) tile(a, b int, t *codedTile) {
	alo, blo := a*blockRows, b*blockRows
	rows, width := s.products(a, b, t)
	s.locks[a].Lock()
	defer s.locks[a].Unlock()
	if a != b {
		s.locks[b].Lock()
		defer s.locks[b].Unlock()
	}
	entered := 0
	for i := alo; i < alo+rows; i++ {
		row := t.products[(i-alo)*blockRows:][:width]
		if blas.CandidateCodes(t.mask[:], row, s.half[blo:blo+width], s.above[blo:blo+width], s.half[i], s.above[i]) {
			entered += s.passing(i, blo, a == b, t, row)
		}
	}
	s.judge(b-a, entered, rows*width)
}

// judge gives codes up if they do not separate, as for samples with few outliers. Seven eighths of
// a tile away from the diagonal should be excluded, except for the nearest samples so
// far: the lists have seen twice as many blocks as the tile's distance from the diagonal.
func (s *codedSearch) judge(off, entered, pairs int) {
	if off > 0 && entered > pairs/4+pairs/blockRows*8*s.k/off {
		s.doubts.Store(true)
	}
}

// passing offers sample i the samples of the block from blo on whose bit is
// set, and returns their number.
func (s *codedSearch) passing(i, blo int, diagonal bool, t *codedTile, row []int32) (entered int) {
	for word := range (len(row) + 63) / 64 {
		for set := t.mask[word]; set != 0; set &= set - 1 {
			q := word*64 + bits.TrailingZeros64(set)
			j := blo + q
			square := s.square[i] + s.square[j] - 2*row[q]
			if square <= s.lists[i].most && i != j {
				s.offer(i, j, square, t)
				entered++
			}
			if !diagonal && square <= s.lists[j].most {
				s.offer(j, i, square, t)
				entered++
			}
		}
	}
	return entered
}

// offer adds sample j, at a squared distance between codes, to the candidates of sample i.
func (s *codedSearch) offer(i, j int, square int32, t *codedTile) {
	l := &s.lists[i]
	if len(l.pending) == cap(l.pending) {
		s.drop(i)
		if len(l.pending) > cap(l.pending)*3/4 {
			s.measure(i, t)
		}
		if square > l.most {
			return
		}
	}
	l.pending = append(l.pending, codedPair{square, int32(j)})
	p := len(l.nearest)
	if p < s.k {
		l.nearest = l.nearest[:p+1]
	} else if p--; square >= l.nearest[p] {
		return
	}
	for p > 0 && l.nearest[p-1] > square {
		l.nearest[p] = l.nearest[p-1]
		p--
	}
	l.nearest[p] = square
	if len(l.nearest) == s.k {
		s.admit(i, s.reach(i, l.nearest[s.k-1]))
	}
}

// admit lowers the bound on squared distances between codes for list i.
func (s *codedSearch) admit(i int, most int32) {
	l := &s.lists[i]
	if most < l.most {
		// ‖cᵢ‖² + ‖cⱼ‖² − 2p ≤ most is equivalent to p − ‖cⱼ‖²/2 ≥ (‖cᵢ‖² − most)/2.
		l.most, s.above[i] = most, (s.square[i]-most-1)>>1
	}
}

// drop removes candidates that are now too far from sample i.
func (s *codedSearch) drop(i int) {
	l := &s.lists[i]
	l.pending = slices.DeleteFunc(l.pending, func(p codedPair) bool { return p.square > l.most })
}

// measure decides the pending candidates of sample i by exact distances. Nearest codes come first, so
// most of the others are excluded by then.
func (s *codedSearch) measure(i int, t *codedTile) {
	l := &s.lists[i]
	slices.SortFunc(l.pending, func(p, q codedPair) int { return cmp.Compare(p.square, q.square) })
	row := s.x.Row(i, t.rows[0])
	for _, p := range l.pending {
		if p.square > l.most {
			break
		}
		switch {
		case s.exact:
			l.found.offer(float64(p.square), p.index)
		case l.found.closed(p.index):
			continue
		default:
			l.found.offer(blas.SquaredDistance(row, s.x.Row(int(p.index), t.rows[1])), p.index)
		}
		if l.found.full() {
			s.admit(i, s.within(i, math.Sqrt(l.found.bound())))
		}
	}
	l.pending = l.pending[:0]
}

// codedBytes returns the memory of a search by codes.
func codedBytes(n, m, k, threads int) int64 {
	rows := int64(n)
	return blas.CodesBytes(n, m) + rows*(4+8+4+4+int64(4*k+8*pendingPairs(k))+120) + 4*blockRows*blockRows*int64(blas.Threads(threads))
}

// coding holds samples rounded to bytes: x = o + h·c + e, with one origin o and one step h
// for all samples and an error e of known length for each. If the entries are
// integers in a range of 256, such as grey values, the errors are zero.
type coding struct {
	x      *Stored
	codes  *blas.Codes
	step   float64   // h
	square []int32   // ‖c‖²
	err    []float64 // bounds on ‖e‖/h
	worst  float64   // the largest of them
	exact  bool      // integers with step 1: distances between codes equal distances between samples
}

// codeSlack is a factor that covers rounding of distances and bounds: sums of
// [blas.MaxCodeColumns] terms are accurate to 2⁻³⁸.
const codeSlack = 1 + 0x1p-30

// encode rounds the samples.
func encode(ctx context.Context, x *Stored, threads int) (*coding, error) {
	low, step, exact, err := rangeOf(ctx, x, threads)
	if err != nil {
		return nil, err
	}
	c := &coding{x: x, codes: blas.NewCodes(x.n, x.m), step: step, exact: exact, square: make([]int32, x.n), err: make([]float64, x.n)}
	rounding := 8 * 0x1p-53 * 256 * math.Sqrt(float64(x.m)) // of entries in steps, which are within 256
	var worst atomic.Uint64
	err = blas.For(ctx, threads, x.n, 64, func(_, lo, hi int) {
		codes, into := make([]int8, x.m), x.scratch()
		for i := lo; i < hi; i++ {
			var rest float64
			c.square[i], rest = round(x.Row(i, into), low, 1/step, codes)
			c.codes.Set(i, codes)
			c.err[i] = math.Sqrt(rest)*codeSlack + rounding
			raise(&worst, c.err[i])
		}
	})
	c.worst = math.Float64frombits(worst.Load())
	return c, err
}

// round writes the code of a sample, in which the minimum of each column becomes −128, and returns
// its squared length and the squared length of the remainder, in steps.
func round(row, low []float64, perStep float64, codes []int8) (square int32, rest float64) {
	const whole = 3 << 51 // numbers of this size have no fractional part
	codes, low = codes[:len(row)], low[:len(row)]
	for j, v := range row {
		t := float64((v-low[j])*perStep) - 128
		c := float64(t+whole) - whole
		e := t - c
		rest += e * e
		code := int32(c)
		codes[j] = int8(code)
		square += code * code
	}
	return square, rest
}

// raise raises a nonnegative number to at least v.
func raise(to *atomic.Uint64, v float64) {
	for {
		old := to.Load()
		if math.Float64frombits(old) >= v || to.CompareAndSwap(old, math.Float64bits(v)) {
			return
		}
	}
}

// span is the range of each column over the samples of one worker.
type span struct {
	low, high []float64 // of every column; nil before the first sample
	broken    bool      // some entry is not an integer
	into      []float64 // see [Stored.Row]
}

func (s *span) widen(x *Stored, from, to int) {
	if s.low == nil {
		s.into = x.scratch()
		s.low, s.high = slices.Clone(x.Row(from, s.into)), slices.Clone(x.Row(from, s.into))
	}
	for i := from; i < to; i++ {
		low, high := s.low[:x.m], s.high[:x.m]
		for j, v := range x.Row(i, s.into) {
			if v < low[j] {
				low[j] = v
			}
			if v > high[j] {
				high[j] = v
			}
			if v != float64(int64(v)) {
				s.broken = true
			}
		}
	}
}

// rangeOf returns the minimum of every column and the step of the codes, which is 1
// if integers allow it.
func rangeOf(ctx context.Context, x *Stored, threads int) (low []float64, step float64, exact bool, err error) {
	workers := make([]span, blas.Threads(threads))
	if err := blas.For(ctx, threads, x.n, 64, func(w, lo, hi int) { workers[w].widen(x, lo, hi) }); err != nil {
		return nil, 0, false, err
	}
	var all span
	for _, s := range workers {
		if s.low != nil {
			all.widen(StoredOf(2, x.m, slices.Concat(s.low, s.high)), 0, 2)
			all.broken = all.broken || s.broken
		}
	}
	for j, v := range all.low {
		step = max(step, all.high[j]-v)
	}
	if exact = !all.broken && step <= 255; exact || step == 0 {
		return all.low, 1, exact, nil
	}
	return all.low, step / 255, false, nil
}

// reach returns the largest squared distance between codes at which a sample may be nearer to
// sample i than one at the given squared distance.
func (c *coding) reach(i int, square int32) int32 {
	return below(math.Sqrt(float64(square)) + 2*(c.err[i]+c.worst))
}

// within returns the largest squared distance between codes of samples within the given distance of
// sample i.
func (c *coding) within(i int, distance float64) int32 {
	return below(distance/c.step + c.err[i] + c.worst)
}

// below returns the square of a distance between codes, rounded up safely.
func below(distance float64) int32 {
	return int32(min(distance*distance*codeSlack, farthest))
}
