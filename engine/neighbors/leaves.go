package neighbors

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// leafSearch finds neighbours in the leaves of overlapping partitions (the partitions and dense
// products of PiPNN, arXiv:2602.21247, for a graph of nearest neighbours). All pairs in a leaf are
// compared by products of their codes, and each row keeps a bounded list of its nearest rows over all leaves. More
// partitions find more of the neighbours, in less time than rounds of NN-descent from the same lists.
type leafSearch struct {
	rows       *byteRows   // in the order of places
	label      []int32     // label[p]: the sample at place p
	lists      *shortlists // by squared distances between codes
	threads    int
	seed       uint64
	partitions int
	waiting    *buckets // the first partition, which determined the order
}

// newLeafSearch reorders the rows, which it keeps, by the first partition, so near rows are mostly near in
// memory too.
func newLeafSearch(ctx context.Context, rows *byteRows, held, threads int, seed uint64) (*leafSearch, error) {
	s := &leafSearch{threads: threads, seed: seed}
	first, near, err := overlapping(ctx, rows, counted(rows.n), s.nextSeed(), threads)
	if err != nil {
		return nil, err
	}
	if s.label = counted(rows.n); near != nil {
		s.label = byNearest(near)
	}
	place := inverse(s.label)
	for p, i := range first.places {
		first.places[p] = place[i]
	}
	rows.arrange(s.label)
	s.waiting, s.rows, s.lists = first, rows, newShortlists(rows.n, held, blas.Threads(threads))
	return s, nil
}

// byLeaves returns no graph if codes do not separate the samples (there are no partitions then), or if the recall
// stayed too low.
func byLeaves(ctx context.Context, x *Stored, k int, o ApproximateOptions, sample []int32, r *Report) (*Graph, error) {
	rows, err := newByteRows(ctx, x, o.Threads, o.Seed)
	if err != nil {
		return nil, err
	}
	t, err := newTruth(ctx, x, rows, sample, k, o.Threads)
	if t == nil {
		return nil, err
	}
	missing := max(1-o.Recall, .1/float64(k*len(sample))) // the share that may be missed
	held := t.held(1 - missing/4)
	if held == 0 {
		return nil, nil
	}
	s, err := newLeafSearch(ctx, rows, held, o.Threads, o.Seed)
	if err != nil {
		return nil, err
	}
	placeOf := inverse(s.label)
	for done, missed := .1, 1.; ; {
		if err := s.more(ctx, func(share float64) { o.Progress(done + share*(.9-done)/2) }); err != nil {
			return nil, err
		}
		r.Partitions++
		r.Recall = t.recall(s.lists, s.label, placeOf)
		r.Reached = max(r.Reached, r.Recall)
		if r.Recall >= o.Recall && s.lists.lacking(k) <= x.n/maxLacking {
			break
		}
		// Every partition finds about the same share of the neighbours that are still missed.
		before := missed
		missed = 1 - r.Recall
		further := 1.
		if r.Recall < o.Recall {
			further = math.Log(missing/missed) / math.Log(missed/before)
		}
		if !(further > 0 && float64(r.Partitions)+further <= 2+float64(x.n/rowsPerPartition)) {
			return nil, nil
		}
		done += (.9 - done) / 2
	}
	s.rows = nil
	pages.Reuse(int64(x.n) * int64(x.m))
	g := newLists(x.n, k, o.ListsOnly)
	if err := g.measure(ctx, x, s.lists, s.label, o.Threads); err != nil {
		return nil, err
	}
	g.takeRoots()
	o.Progress(1)
	return g, nil
}

// inverse returns the position of each number in an order.
func inverse(order []int32) []int32 {
	at := make([]int32, len(order))
	for p, i := range order {
		at[i] = int32(p)
	}
	return at
}

// rowsPerPartition is the number of rows for which an exact search takes as long for each row as one partition
// (BenchmarkApproximate, BenchmarkExact). If more than n/rowsPerPartition partitions are needed, Exact is faster.
const rowsPerPartition = 3000

// One in maxLacking rows may lack neighbours. At the end such rows are compared with all others.
const maxLacking = 10000

// counted returns the numbers from 0 to n − 1.
func counted(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

func (s *leafSearch) nextSeed() uint64 {
	s.partitions++
	return blas.NewStream(s.seed + uint64(s.partitions)*0xD1B54A32D192ED03).Uint64()
}

// more compares the rows in the leaves of one more partition.
func (s *leafSearch) more(ctx context.Context, report func(share float64)) error {
	b, seed := s.waiting, s.seed
	if s.waiting = nil; b == nil {
		seed = s.nextSeed()
		var err error
		if b, _, err = overlapping(ctx, s.rows, counted(s.rows.n), seed, s.threads); err != nil {
			return err
		}
	}
	workers := make([]*leaf, blas.Threads(s.threads))
	var done atomic.Int64
	return blas.For(ctx, s.threads, b.count(), 1, func(w, c, _ int) {
		if workers[w] == nil {
			workers[w] = newLeaf(s.rows, s.lists)
		}
		workers[w].divide(b.bucket(c), seed+uint64(c+1)*0x9E3779B97F4A7C15)
		report(float64(done.Add(1)) / float64(b.count()))
	})
}

// leaf is the workspace for comparing all rows of a leaf.
type leaf struct {
	rows     *byteRows
	lists    *shortlists
	codes    *blas.Codes
	square   []int32 // ‖c‖²
	half     []int32 // ⌊‖c‖²/2⌋
	above    []int32 // a product minus half[j] must exceed it to enter list i
	products []int32
	mask     [blockRows / 64]uint64
}

func newLeaf(rows *byteRows, lists *shortlists) *leaf {
	return &leaf{rows: rows, lists: lists, codes: blas.NewCodes(maxLeafRows, rows.m), products: make([]int32, blockRows*blockRows),
		square: make([]int32, maxLeafRows), half: make([]int32, maxLeafRows), above: make([]int32, maxLeafRows)}
}

// divide compares the rows of a bucket. A bucket that is too large is divided around its own pivots.
func (l *leaf) divide(places []int32, seed uint64) {
	if len(places) <= maxLeafRows {
		l.compare(places)
		return
	}
	count := min(maxPivots, 2*len(places)/maxLeafRows+1)
	near := make([]int32, len(places))
	newPivots(l.rows, drawn(places, count, blas.NewStream(seed))).nearest(places, 1, near)
	parts := sorted(places, near, 1, count)
	for c := range count {
		part := parts.bucket(c)
		if len(part) <= len(places)*9/10 {
			l.divide(part, blas.NewStream(seed+uint64(c+1)*0xD1B54A32D192ED03).Uint64())
			continue
		}
		for len(part) > 0 { // rows that pivots do not separate
			size := min(len(part), leafRows)
			l.compare(part[:size])
			part = part[size:]
		}
	}
}

// compare offers all pairs of rows in a leaf to each other's lists.
func (l *leaf) compare(places []int32) {
	l.rows.gather(l.codes, 0, places)
	for q, i := range places {
		l.square[q], l.half[q] = l.rows.square[i], l.rows.square[i]/2
		l.admit(q, i)
		blas.Prefetch(l.lists.row(int(i)))
	}
	for a := 0; a < len(places); a += blockRows {
		rows := min(blockRows, len(places)-a)
		for b := a; b < len(places); b += blockRows {
			width := min(blockRows, len(places)-b)
			l.codes.Products(a, rows, b, width, l.products, blockRows)
			for q := a; q < a+rows; q++ {
				row := l.products[(q-a)*blockRows:][:width]
				if blas.CandidateCodes(l.mask[:], row, l.half[b:b+width], l.above[b:b+width], l.half[q], l.above[q]) {
					l.passing(places, q, b, row)
				}
			}
		}
	}
}

// admit updates the threshold of a row to the bound of its list.
func (l *leaf) admit(q int, i int32) {
	// ‖cᵢ‖² + ‖cⱼ‖² − 2p ≤ most is p − ‖cⱼ‖²/2 ≥ (‖cᵢ‖² − most)/2.
	most := int32(min(l.lists.worst(i)>>32, farthest))
	l.above[q] = (l.square[q] - most - 1) >> 1
}

// passing offers the pairs of row q and the rows from b on whose bit is set, each pair once.
func (l *leaf) passing(places []int32, q, b int, row []int32) {
	i := places[q]
	word, first := 0, q+1-b
	if first > 0 { // on the diagonal
		word = first / 64
		if word >= (len(row)+63)/64 {
			return
		}
		l.mask[word] &= ^uint64(0) << (first % 64)
	}
	for ; word < (len(row)+63)/64; word++ {
		for set := l.mask[word]; set != 0; set &= set - 1 {
			at := word*64 + bits.TrailingZeros64(set)
			j := places[b+at]
			square := uint32(l.square[q] + l.square[b+at] - 2*row[at])
			if l.lists.propose(i, j, square) {
				l.admit(q, i)
			}
			if l.lists.propose(j, i, square) {
				l.admit(b+at, j)
			}
		}
	}
}

// setBits returns the numbers of the set bits.
func setBits(mask []uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for word, set := range mask {
			for ; set != 0; set &= set - 1 {
				if !yield(word*64 + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}

// leafBytes returns the memory of a leaf search, with lists of `held` neighbours and one partition, or with the measurement of the
// sampled rows, which comes later, whichever is larger.
func leafBytes(n, m, held, threads int) int64 {
	row := int64(m+3) &^ 3
	worker := blas.CodesBytes(maxLeafRows+maxPivots+pivotBlock, m) + 4*(blockRows*blockRows+pivotBlock*maxPivots+8*maxLeafRows)
	own := max(8*int64(held)+8+8*overlap, 8*maxDoubts*minRows)
	return int64(n)*(row+8+1+4+4+4+own) + worker*int64(blas.Threads(threads))
}
