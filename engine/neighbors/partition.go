package neighbors

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// A partition assigns every row to overlapping buckets: some rows are drawn as pivots, and every row
// is assigned to its nearest few, by the products of their codes. A bucket that is too large for a leaf is
// divided again, without overlap.

const (
	leafRows    = 1000 // average size of a leaf
	maxLeafRows = 2048
	overlap     = 3    // number of pivots that a row is assigned to
	maxPivots   = 2000 // with more, products with pivots would outnumber those in leaves
	pivotBlock  = 64   // rows compared with the pivots at a time
)

// pivots are rows drawn at random, prepared for products with blocks of others.
type pivots struct {
	rows     *byteRows
	codes    *blas.Codes // the pivots, followed by space for a block
	count    int
	padded   int     // count, rounded up to whole groups
	half     []int32 // ⌊‖c‖²/2⌋
	never    []int32 // thresholds that no product reaches
	products []int32
	mask     []uint64
}

func newPivots(rows *byteRows, places []int32) *pivots {
	p := &pivots{rows: rows, count: len(places), padded: (len(places) + blas.CodeGroup - 1) &^ (blas.CodeGroup - 1)}
	p.codes = blas.NewCodes(p.padded+pivotBlock, rows.m)
	rows.gather(p.codes, 0, places)
	p.half, p.never = make([]int32, p.count), make([]int32, p.count)
	for q, i := range places {
		p.half[q], p.never[q] = rows.square[i]/2, farthest
	}
	p.products, p.mask = make([]int32, pivotBlock*p.padded), make([]uint64, (p.count+63)/64)
	return p
}

// nearest writes, for every place, the numbers of its f nearest pivots, the nearest first, ties by
// the lower number.
func (p *pivots) nearest(places []int32, f int, out []int32) {
	var found ranking
	for lo := 0; lo < len(places); lo += pivotBlock {
		block := places[lo:min(lo+pivotBlock, len(places))]
		p.rows.gather(p.codes, p.padded, block)
		p.codes.Products(p.padded, len(block), 0, p.padded, p.products, p.padded)
		for q := range block {
			found.rank(p.products[q*p.padded:][:p.count], p, out[(lo+q)*f:(lo+q+1)*f])
		}
	}
}

// ranking is a short list of pivots.
type ranking struct {
	value [overlap]int32 // ‖c‖²/2 − product, ascending
	count int
}

// rank writes the pivots with the smallest ‖c‖²/2 − product.
func (r *ranking) rank(products []int32, p *pivots, best []int32) {
	r.count = 0
	first := min(len(products), 64)
	for q, v := range products[:first] {
		r.offer(int32(q), p.half[q]-v, best)
	}
	for lo := first; lo < len(products); lo += 512 {
		hi := min(lo+512, len(products))
		// Only pivots whose product − half exceeds the worst held can enter.
		if blas.CandidateCodes(p.mask, products[lo:hi], p.half[lo:hi], p.never[lo:hi], 0, -r.value[r.count-1]) {
			for q := range setBits(p.mask[:(hi-lo+63)/64]) {
				r.offer(int32(lo+q), p.half[lo+q]-products[lo+q], best)
			}
		}
	}
}

func (r *ranking) offer(pivot, value int32, best []int32) {
	at := r.count
	if at < len(best) {
		r.count++
	} else if at--; value >= r.value[at] {
		return
	}
	for at > 0 && r.value[at-1] > value {
		r.value[at], best[at] = r.value[at-1], best[at-1]
		at--
	}
	r.value[at], best[at] = value, pivot
}

// drawn returns count of the places, drawn without replacement by Floyd's algorithm.
func drawn(places []int32, count int, rng *blas.Stream) []int32 {
	out, taken := make([]int32, 0, count), make(map[int]bool, count)
	for last := len(places) - count; last < len(places); last++ {
		at := rng.Below(last + 1)
		if taken[at] {
			at = last
		}
		taken[at] = true
		out = append(out, places[at])
	}
	return out
}

// buckets are consecutive lists of places.
type buckets struct {
	places []int32
	first  []int // start of each bucket, and the end
}

func (b *buckets) count() int           { return len(b.first) - 1 }
func (b *buckets) bucket(c int) []int32 { return b.places[b.first[c]:b.first[c+1]] }

// sorted puts every place into the buckets of its f pivots.
func sorted(places, pivotsOf []int32, f, pivots int) *buckets {
	b := &buckets{places: make([]int32, len(pivotsOf)), first: make([]int, pivots+2)}
	at := b.first[1:] // after the loops: the end of each bucket
	for _, p := range pivotsOf {
		b.first[p+2]++
	}
	for p := range pivots {
		b.first[p+2] += b.first[p+1]
	}
	for q, i := range places {
		for _, p := range pivotsOf[q*f : (q+1)*f] {
			b.places[at[p]] = i
			at[p]++
		}
	}
	b.first = b.first[:pivots+1]
	return b
}

// overlapping divides all rows, in the order of the given places. It returns the buckets and the numbers
// of the nearest pivots of every place, overlap for each; nil: all rows are in one bucket.
func overlapping(ctx context.Context, rows *byteRows, places []int32, seed uint64, threads int) (*buckets, []int32, error) {
	count := min(maxPivots, rows.n*overlap/leafRows)
	if count < 2*overlap || rows.n <= maxLeafRows {
		return &buckets{places: places, first: []int{0, len(places)}}, nil, nil
	}
	at := drawn(places, count, blas.NewStream(seed))
	near := make([]int32, len(places)*overlap)
	workers := make([]*pivots, blas.Threads(threads))
	err := blas.For(ctx, threads, len(places), 1024, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newPivots(rows, at)
		}
		workers[w].nearest(places[lo:hi], overlap, near[lo*overlap:hi*overlap])
	})
	return sorted(places, near, overlap, count), near, err
}

// byNearest returns an order of all rows by their nearest pivots: by the nearest one, then by the second.
func byNearest(near []int32) []int32 {
	n, pivots := len(near)/overlap, maxPivots
	order, key := counted(n), make([]int32, n)
	for _, rank := range []int{1, 0} {
		for p, i := range order {
			key[p] = near[int(i)*overlap+rank]
		}
		order = sorted(order, key, 1, pivots).places
	}
	return order
}
