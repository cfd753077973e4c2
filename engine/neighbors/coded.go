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
// with a known error (see [coding]), and bytes are multiplied exactly, so that the
// distance between two samples is that between their codes, give or take the errors of
// both. What could be among the k nearest by that bound is kept, and the distances of
// what is left at the end decide: the lists are those of [blockSearch], to the bit.
type codedSearch struct {
	*coding
	k      int
	half   []int32 // ⌊‖cⱼ‖²/2⌋
	above  []int32 // a product less half[j] enters list i only above it
	lists  []codedList
	locks  []sync.Mutex // one a block of rows
	doubts atomic.Bool  // codes do not separate these samples
}

// codedList is what is known of the neighbours of a sample.
type codedList struct {
	nearest []int32 // the k smallest squared distances between codes, ascending
	pending []codedPair
	most    int32 // the largest squared distance between codes that may still enter
	found   nearest
}

// codedPair is a neighbour not yet measured.
type codedPair struct{ square, index int32 }

const (
	// Of so many columns, and of more the longer the lists are, products take longer than
	// what comes after them (measured on normal samples, the worst case).
	codedColumns       = 128
	columnsPerNeighbor = 4

	farthest = 1 << 30 // no squared distance between codes is as large
)

// pendingPairs is the number of neighbours that wait to be measured at most.
func pendingPairs(k int) int { return 4*k + 64 }

// suitsCodes tells whether the samples are searched by codes.
func suitsCodes(x Points, k int, o Options) bool {
	if o.method != automatic || x.M > blas.MostCodeColumns {
		return o.method == coded
	}
	return o.Kernels.Single() && x.M >= codedColumns+columnsPerNeighbor*k
}

// searchCodes fills the lists of g, or returns false where codes say too little.
func searchCodes(ctx context.Context, x Points, k int, o Options, g *Graph) (bool, error) {
	c, err := encode(ctx, x, o.Threads)
	if err != nil {
		return false, err
	}
	blocks, room := (x.N+blockRows-1)/blockRows, pendingPairs(k)
	s := &codedSearch{coding: c, k: k, locks: make([]sync.Mutex, blocks), lists: make([]codedList, x.N),
		half: make([]int32, x.N), above: make([]int32, x.N)}
	best, pending := make([]int32, x.N*k), make([]codedPair, x.N*room)
	for i := range x.N {
		s.half[i], s.above[i] = c.square[i]/2, -farthest
		s.lists[i] = codedList{nearest: best[i*k : i*k : (i+1)*k], most: farthest, found: g.list(i),
			pending: pending[i*room : i*room : (i+1)*room]}
	}
	tiles := diagonals{blocks}
	workers := make([]codedTile, blas.Threads(o.Threads))
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
		pages.Reuse(codedBytes(x.N, x.M, k, o.Threads))
		return false, err
	}
	return true, blas.For(ctx, o.Threads, x.N, blockRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.narrow(i)
			s.measure(i)
			s.lists[i].found.finish()
		}
	})
}

// codedTile is the memory of one worker.
type codedTile struct {
	products []int32
	mask     [blockRows / 64]uint64
}

// products are those of two blocks.
func (s *codedSearch) products(a, b int, t *codedTile) (rows, width int) {
	if t.products == nil {
		t.products = make([]int32, blockRows*blockRows)
	}
	rows, width = min(blockRows, s.x.N-a*blockRows), min(blockRows, s.x.N-b*blockRows)
	s.codes.Products(a*blockRows, rows, b*blockRows, width, t.products, blockRows)
	return rows, width
}

// separates tells from the first block whether codes leave few in doubt: not many more of
// its samples than the k nearest.
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

// tile treats the products of blocks a ≤ b as [blockSearch.tile] does.
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
			entered += s.passing(i, blo, a == b, t.mask[:], row)
		}
	}
	s.judge(b-a, entered, rows*width)
}

// judge gives codes up where they do not separate, as in samples of which few are far out:
// seven eighths of a tile away from the diagonal should be excluded, but for the nearest so
// far, whose lists have seen twice as many blocks as it is away.
func (s *codedSearch) judge(off, entered, pairs int) {
	if off > 0 && entered > pairs/4+pairs/blockRows*8*s.k/off {
		s.doubts.Store(true)
	}
}

// passing offers the pairs of sample i with those of the block from blo on whose bit is
// set, and returns their number.
func (s *codedSearch) passing(i, blo int, diagonal bool, mask []uint64, row []int32) (entered int) {
	for word := range (len(row) + 63) / 64 {
		for set := mask[word]; set != 0; set &= set - 1 {
			q := word*64 + bits.TrailingZeros64(set)
			j := blo + q
			square := s.square[i] + s.square[j] - 2*row[q]
			if square <= s.lists[i].most && i != j {
				s.offer(i, j, square)
				entered++
			}
			if !diagonal && square <= s.lists[j].most {
				s.offer(j, i, square)
				entered++
			}
		}
	}
	return entered
}

// offer keeps sample j, at a squared distance between codes, for the list of sample i.
func (s *codedSearch) offer(i, j int, square int32) {
	l := &s.lists[i]
	if len(l.pending) == cap(l.pending) {
		s.narrow(i)
		if len(l.pending) > cap(l.pending)*3/4 {
			s.measure(i)
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

// admit lowers the largest squared distance between codes that enters list i.
func (s *codedSearch) admit(i int, most int32) {
	l := &s.lists[i]
	if most < l.most {
		// ‖cᵢ‖² + ‖cⱼ‖² − 2p ≤ most is p − ‖cⱼ‖²/2 ≥ (‖cᵢ‖² − most)/2.
		l.most, s.above[i] = most, (s.square[i]-most-1)>>1
	}
}

// narrow drops what is too far from sample i by now.
func (s *codedSearch) narrow(i int) {
	l := &s.lists[i]
	l.pending = slices.DeleteFunc(l.pending, func(p codedPair) bool { return p.square > l.most })
}

// measure decides what is pending for sample i by distances. Nearest codes come first, so
// that most of the others are excluded by then.
func (s *codedSearch) measure(i int) {
	l := &s.lists[i]
	slices.SortFunc(l.pending, func(p, q codedPair) int { return cmp.Compare(p.square, q.square) })
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
			l.found.offer(blas.SquaredDistance(s.x.Row(i), s.x.Row(int(p.index))), p.index)
		}
		if l.found.full() {
			s.admit(i, s.within(i, math.Sqrt(l.found.bound())))
		}
	}
	l.pending = l.pending[:0]
}
