package neighbors

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// codedIndex holds reference samples as bytes, an eighth of their size, for the products of [codedSearch]. Samples
// that codes do not exclude are measured, so the lists are exact.
type codedIndex struct {
	reference *Stored
	codes     *blas.Codes
	low       []float64 // of every column, with code −128
	step      float64
	err       float64 // largest ‖e‖/h of a reference sample
	square    []int32
	half      []int32
	never     []int32 // thresholds that no product reaches

	few       atomic.Int32                // searches of few queries
	projected func() (*projection, error) // made on first use; nil: none
}

// indexParts is the number of parts of the samples searched concurrently if there are few queries.
const indexParts = 8

func newCodedIndex(reference *Stored, threads int) (*codedIndex, error) {
	ctx := context.Background()
	rows, low, err := roundedToBytes(ctx, reference, threads)
	if err != nil {
		return nil, err
	}
	x := &codedIndex{reference: reference, codes: blas.NewCodes(rows.n, rows.m), low: low, step: rows.step, err: rows.err,
		square: rows.square, half: make([]int32, rows.n), never: slices.Repeat([]int32{farthest}, blockRows)}
	all := counted(rows.n)
	err = blas.For(ctx, threads, rows.n, blockRows, func(_, lo, hi int) {
		rows.gather(x.codes, lo, all[lo:hi])
		for i := lo; i < hi; i++ {
			x.half[i] = x.square[i] / 2
		}
	})
	return x, err
}

// projectWith makes searches of few queries use a [projection] once there have been several.
func (x *codedIndex) projectWith(kernels *blas.Kernels, threads int) {
	if x.reference.m >= projectedColumns && x.reference.n >= projectedSamples {
		x.projected = sync.OnceValues(func() (*projection, error) { return newProjection(x.reference, kernels, threads) })
	}
}

// search fills the lists of the queries, and returns false if codes exclude too few samples.
func (x *codedIndex) search(ctx context.Context, queries *Stored, g *Graph, threads int) (bool, error) {
	if x.projected != nil && queries.n <= projectedQueries && x.few.Add(1) >= projectedAfter {
		if done, err := x.searchFew(queries, g); done || err != nil {
			return done, err
		}
	}
	blocks := (queries.n + blockRows - 1) / blockRows
	scratch := make([]codedQueries, blas.Threads(threads))
	ended := make([]bool, blocks)
	if blocks >= len(scratch) {
		err := blas.For(ctx, threads, blocks, 1, func(w, c, _ int) {
			b := x.block(queries, g, c)
			lists := x.lists(b)
			ended[c] = scratch[w].sweep(ctx, x, b, lists, 0, x.reference.n) && x.finish(b, lists)
		})
		return !slices.Contains(ended, false), err
	}
	tiles := (x.reference.n + blockRows - 1) / blockRows
	part := (tiles + indexParts - 1) / indexParts * blockRows
	for c := range blocks {
		b := x.block(queries, g, c)
		lists := make([][]queryCodes, (x.reference.n+part-1)/part)
		through := make([]bool, len(lists))
		err := blas.For(ctx, threads, len(lists), 1, func(w, p, _ int) {
			lists[p] = x.lists(b)
			through[p] = scratch[w].sweep(ctx, x, b, lists[p], p*part, min((p+1)*part, x.reference.n))
		})
		if err != nil || slices.Contains(through, false) || !x.finish(b, lists...) {
			return false, err
		}
	}
	return true, nil
}

// searchFew is search by the projection; it returns false if that excludes too few samples.
func (x *codedIndex) searchFew(queries *Stored, g *Graph) (bool, error) {
	p, err := x.projected()
	if err != nil || p.unclear.Load() {
		return false, err
	}
	for i := range queries.n {
		if !p.search(queries, i, g) {
			return false, nil
		}
	}
	return true, nil
}

// queryRows is a block of queries, rounded as the samples are.
type queryRows struct {
	Points
	codes  *blas.Codes
	square []int32
	err    []float64 // ‖e‖/h of each, including clipped entries
	far    []bool    // too far outside the range of the samples for codes
	found  []nearest
}

func (x *codedIndex) block(queries *Stored, g *Graph, c int) *queryRows {
	lo, hi := c*blockRows, min((c+1)*blockRows, queries.n)
	n, m := hi-lo, queries.m
	var rows []float64
	b := &queryRows{Points: queries.block(lo, hi, &rows), codes: blas.NewCodes(n, (m+3)&^3),
		square: make([]int32, n), err: make([]float64, n), far: make([]bool, n), found: make([]nearest, n)}
	codes := make([]int8, (m+3)&^3)
	for i := range n {
		var rest float64
		_, b.square[i], rest = roundClipped(b.Row(i), x.low, 1/x.step, codes[:m])
		b.codes.Set(i, codes)
		for j, v := range b.Row(i) {
			if t := (v - x.low[j]) / x.step; t < -.5 {
				rest += t * t
			} else if t > 255.5 {
				rest += (t - 255) * (t - 255)
			}
		}
		b.err[i] = math.Sqrt(rest)*codeSlack + codeRounding(m)
		b.far[i] = !(b.err[i] <= 2*math.Sqrt(float64(m)))
		b.found[i] = g.list(lo + i)
	}
	return b
}

// queryCodes are the candidates for the neighbours of a query: see [codedList].
type queryCodes struct {
	nearest []int32
	pending []codedPair
	most    int32
	above   int32
	found   nearest // the candidates measured so far, after there were too many
}

func (x *codedIndex) lists(b *queryRows) []queryCodes {
	lists := make([]queryCodes, b.N)
	for i := range lists {
		k := len(b.found[i].square)
		lists[i] = queryCodes{nearest: make([]int32, 0, k), pending: make([]codedPair, 0, pendingPairs(k)), most: farthest, above: -farthest,
			found: nearest{square: make([]float64, k), index: make([]int32, k)}}
	}
	return lists
}

// codedQueries is the workspace of one worker.
type codedQueries struct {
	into     []float64 // for [Stored.Row]
	products []int32
	mask     [blockRows / 64]uint64
}

// sweep offers the samples from lo to hi; false: too many are left to measure.
func (s *codedQueries) sweep(ctx context.Context, x *codedIndex, b *queryRows, lists []queryCodes, lo, hi int) bool {
	if s.products == nil {
		s.products, s.into = make([]int32, blockRows*blockRows), x.reference.scratch()
	}
	entered := 0
	for at := lo; at < hi && ctx.Err() == nil; at += blockRows {
		width := min(blockRows, hi-at)
		b.codes.ProductsWith(0, b.N, x.codes, at, width, s.products, blockRows)
		half := x.half[at : at+width]
		for i := range b.N {
			if b.far[i] {
				continue
			}
			l, row := &lists[i], s.products[i*blockRows:][:width]
			if !blas.CandidateCodes(s.mask[:], row, half, x.never[:width], 0, l.above) {
				continue
			}
			for q := range setBits(s.mask[:(width+63)/64]) {
				if square := b.square[i] + x.square[at+q] - 2*row[q]; square <= l.most {
					x.offer(b, i, l, square, int32(at+q), s.into)
					entered++
				}
			}
		}
		// See [codedSearch.judge].
		if seen := at + width - lo; seen > 4*blockRows && entered > b.N*(seen/8+32*len(lists[0].found.square)) {
			return false
		}
	}
	return true
}

// offer adds a sample to the candidates.
func (x *codedIndex) offer(b *queryRows, i int, l *queryCodes, square, j int32, into []float64) {
	if len(l.pending) == cap(l.pending) {
		l.narrow()
		if len(l.pending) > cap(l.pending)*3/4 {
			x.measure(b, i, l, into)
		}
		if square > l.most {
			return
		}
	}
	l.pending = append(l.pending, codedPair{square, j})
	p := len(l.nearest)
	if p < cap(l.nearest) {
		l.nearest = l.nearest[:p+1]
	} else if p--; square >= l.nearest[p] {
		return
	}
	for p > 0 && l.nearest[p-1] > square {
		l.nearest[p] = l.nearest[p-1]
		p--
	}
	l.nearest[p] = square
	if k := cap(l.nearest); len(l.nearest) == k {
		l.admit(below(math.Sqrt(float64(l.nearest[k-1]))+2*(b.err[i]+x.err)), b.square[i])
	}
}

// admit lowers the largest squared distance between codes that may enter.
func (l *queryCodes) admit(most, own int32) {
	if most < l.most {
		l.most, l.above = most, (own-most-1)>>1
	}
}

func (l *queryCodes) narrow() {
	l.pending = slices.DeleteFunc(l.pending, func(p codedPair) bool { return p.square > l.most })
}

// measure decides the pending candidates by distance, the nearest codes first.
func (x *codedIndex) measure(b *queryRows, i int, l *queryCodes, into []float64) {
	slices.SortFunc(l.pending, func(p, q codedPair) int { return cmp.Compare(p.square, q.square) })
	for _, p := range l.pending {
		if p.square > l.most {
			break
		}
		if l.found.closed(p.index) {
			continue
		}
		l.found.offer(blas.SquaredDistance(b.Row(i), x.reference.Row(int(p.index), into)), p.index)
		if l.found.full() {
			l.admit(below(math.Sqrt(l.found.bound())/x.step+b.err[i]+x.err), b.square[i])
		}
	}
	l.pending = l.pending[:0]
}

// finish measures the remaining candidates of all parts.
func (x *codedIndex) finish(b *queryRows, parts ...[]queryCodes) bool {
	into := x.reference.scratch()
	for i := range b.N {
		if b.far[i] {
			for j := range int32(x.reference.n) {
				if !b.found[i].closed(j) {
					b.found[i].offer(blas.SquaredDistance(b.Row(i), x.reference.Row(int(j), into)), j)
				}
			}
		}
		all := &parts[0][i]
		for _, other := range parts[1:] {
			l := &other[i]
			for p := range l.found.count {
				all.found.offer(l.found.square[p], l.found.index[p])
			}
			if all.pending = append(all.pending, l.pending...); l.most < all.most {
				all.most = l.most
			}
		}
		x.measure(b, i, all, into)
		for p := range all.found.count {
			b.found[i].offer(all.found.square[p], all.found.index[p])
		}
		if !b.found[i].full() {
			return false
		}
		b.found[i].finish()
	}
	return true
}
