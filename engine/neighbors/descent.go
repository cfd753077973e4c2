package neighbors

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// descent is the state of NN-descent (Dong, Moses and Li 2011): neighbours of
// neighbours are likely neighbours.
type descent struct {
	x            *packedRows
	lists        *shortlists
	threads      int
	salt         uint32
	fresh, stale candidates // every compared pair has at least one fresh row
}

// candidates of one kind are, for every row, the rows in its list and a sample of
// the rows whose lists have it.
type candidates struct {
	listed, listing int // capacity for either
	count           []counts
	places          []int32
}

type counts struct {
	listed  int32
	listing int32 // may exceed the capacity
}

func newCandidates(n, listed, listing int) candidates {
	return candidates{listed: listed, listing: listing, count: make([]counts, n), places: make([]int32, n*(listed+listing))}
}

// row returns the rows that row i lists, and those that list it.
func (c *candidates) row(i int) (listed, listing []int32) {
	all := c.places[i*(c.listed+c.listing):][:c.listed+c.listing]
	return all[:c.count[i].listed], all[c.listed:][:min(int(c.count[i].listing), c.listing)]
}

// list adds j, which i lists.
func (c *candidates) list(i, j int32) {
	n := &c.count[i].listed
	c.places[int(i)*(c.listed+c.listing)+int(*n)] = j
	*n++
}

// listBack adds i, which lists j, to the sample by reservoir sampling: all rows
// are kept with the same probability.
func (c *candidates) listBack(j, i int32, random uint32) {
	n := &c.count[j].listing
	slot := int(*n)
	*n++
	if slot >= c.listing {
		slot = int(uint64(random) * uint64(slot+1) >> 32)
		if slot >= c.listing {
			return
		}
	}
	c.places[int(j)*(c.listed+c.listing)+c.listed+slot] = i
}

// random returns the random number of an ordered pair in this round.
func (d *descent) random(i, j int32) uint32 {
	h := uint32(i)*0x9E3779B1 ^ uint32(j)*0x7FEB352D ^ d.salt
	h = (h ^ h>>15) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

// takesPart reports whether row i's entry for j is among the candidates of the
// round: always for short lists, and with a fixed probability for longer ones.
func (d *descent) takesPart(i, j int32) bool {
	return d.lists.k <= maxListed || uint64(d.random(j, i))*uint64(d.lists.k) < maxListed<<32
}

// maxListed is the mean number of a row's own entries in a round;
// maxListing bounds the candidates of either kind from the rows that list it.
const (
	maxListed  = 30
	maxListing = 25
)

// gather draws the candidates of the round. Every worker reads all lists in
// order and fills the candidates of its own rows, so the result does not depend on the
// ranges.
func (d *descent) gather(ctx context.Context) error {
	n, workers := d.x.n, blas.Threads(d.threads)
	err := blas.For(ctx, d.threads, n, (n+workers-1)/workers, func(_, lo, hi int) {
		clear(d.fresh.count[lo:hi])
		clear(d.stale.count[lo:hi])
		low, high := int32(lo), int32(hi)
		for i := range int32(n) {
			mine := low <= i && i < high
			for _, e := range d.lists.row(int(i)) {
				j := place(e)
				theirs := low <= j && j < high && !d.lists.holds(j, i, e)
				if !mine && !theirs || !d.takesPart(i, j) {
					continue
				}
				to := &d.stale
				if isNew(e) {
					to = &d.fresh
				}
				if mine {
					to.list(i, j)
				}
				if theirs {
					to.listBack(j, i, d.random(i, j))
				}
			}
		}
	})
	if err != nil {
		return err
	}
	// Entries used in this round are old in the next.
	return blas.For(ctx, d.threads, n, 4096, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			list := d.lists.row(i)
			for p, e := range list {
				if isNew(e) && d.takesPart(int32(i), place(e)) {
					list[p] = e &^ 1
				}
			}
		}
	})
}

// round does one pass of local joins and returns the number of list entries
// that are new after it.
func (d *descent) round(ctx context.Context) (int, error) {
	if err := d.gather(ctx); err != nil {
		return 0, err
	}
	joins := make([]*join, blas.Threads(d.threads))
	err := blas.For(ctx, d.threads, d.x.n, 256, func(worker, lo, hi int) {
		j := joins[worker]
		if j == nil {
			j = newJoin(d.x, d.lists, d.fresh.listed+d.fresh.listing+d.stale.listed+d.stale.listing)
			joins[worker] = j
		}
		for i := lo; i < hi; i++ {
			listed, listing := d.fresh.row(i)
			if len(listed)+len(listing) == 0 {
				continue
			}
			j.count = 0
			j.take(listed)
			j.take(listing)
			fresh := j.count
			listed, listing = d.stale.row(i)
			j.take(listed)
			j.take(listing)
			j.compare(fresh)
		}
	})
	return d.lists.fresh(), err
}

// run iterates until few entries change.
func (d *descent) run(ctx context.Context, r *Report) error {
	n, k := d.x.n, d.lists.k
	listing := min(k+3, maxListing)
	d.fresh, d.stale = newCandidates(n, k, listing), newCandidates(n, k, listing)
	for range maxRounds {
		r.Iterations++
		d.salt = d.salt*0x2C1B3C6D + 0x297A2D39
		fresh, err := d.round(ctx)
		if err != nil {
			return err
		}
		if float64(fresh) < settled*float64(n)*float64(k) {
			break
		}
	}
	return nil
}

// join compares rows with each other.
type join struct {
	x      *packedRows
	lists  *shortlists
	count  int
	places []int32
	reach  []float32
	square []float32
}

func newJoin(x *packedRows, lists *shortlists, most int) *join {
	return &join{x: x, lists: lists, places: make([]int32, most+group), reach: make([]float32, most), square: make([]float32, padded(most))}
}

// take adds rows to compare.
func (j *join) take(places []int32) {
	for p, place := range places {
		j.places[j.count+p] = place
		j.reach[j.count+p] = j.lists.reach(place)
	}
	j.count += len(places)
}

// compare offers each of the first fresh rows and every row after it to each
// other.
func (j *join) compare(fresh int) {
	count := j.count
	for a := range fresh {
		rest := count - a - 1
		square := j.square[:rest]
		place, reach := j.places[a], j.reach[a]
		places, reaches := j.places[a+1 : count][:len(square)], j.reach[a+1 : count][:len(square)]
		j.x.squares(j.x.row(int(place)), j.places[a+1:a+1+padded(rest)], j.square)
		for b, s := range square {
			if s <= reach && places[b] != place {
				j.lists.offer(place, places[b], s)
				reach = j.lists.reach(place)
			}
			if s <= reaches[b] && places[b] != place {
				j.lists.offer(places[b], place, s)
				reaches[b] = j.lists.reach(places[b])
			}
		}
	}
}

// plant compares all rows within each leaf of a tree. Leaves are disjoint.
func plant(ctx context.Context, x *packedRows, lists *shortlists, t *projectionTree, most, threads int) error {
	joins := make([]*join, blas.Threads(threads))
	return blas.For(ctx, threads, t.leaves(), 8, func(worker, lo, hi int) {
		j := joins[worker]
		if j == nil {
			j = newJoin(x, lists, most)
			joins[worker] = j
		}
		for c := lo; c < hi; c++ {
			j.count = 0
			j.take(t.leaf(c))
			j.compare(j.count)
		}
	})
}

// shortlists hold the k nearest found so far of every row. Each list has sorted words:
// the bits of the squared distance (which order as the number does), then the
// index of the neighbour, then 1 while it is new. The content of a list after any number of offers
// depends only on the set of offered pairs, not on their order, so workers may offer in any order
// with the same result.
type shortlists struct {
	k       int
	entries []uint64
	bound   []uint64     // the last entry of each list: larger entries are rejected
	locks   []sync.Mutex // nil with one worker
}

// lockRows is the number of rows that share a lock, a power of two.
const lockRows = 64

// vacant is the word of an empty place, larger than that of any neighbour.
const vacant = 0x7f800000<<32 | 0xfffffffe

func newShortlists(n, k, workers int) *shortlists {
	s := &shortlists{k: k, entries: pages.Make[uint64](n * k), bound: pages.Make[uint64](n)}
	for p := range s.entries {
		s.entries[p] = vacant
	}
	for i := range s.bound {
		s.bound[i] = vacant
	}
	if workers > 1 {
		s.locks = make([]sync.Mutex, n/lockRows+1)
	}
	return s
}

func (s *shortlists) row(i int) []uint64 { return s.entries[i*s.k : (i+1)*s.k] }

func place(entry uint64) int32 { return int32(uint32(entry) >> 1) }
func isNew(entry uint64) bool  { return entry&1 != 0 }

// reach returns the squared distance beyond which list i accepts nothing. It
// may be out of date, and then is too large.
func (s *shortlists) reach(i int32) float32 {
	return math.Float32frombits(uint32(s.worst(i) >> 32))
}

// worst returns the last entry of list i, or an earlier, larger one.
func (s *shortlists) worst(i int32) uint64 { return atomic.LoadUint64(&s.bound[i]) }

// offer proposes j for the list of i.
func (s *shortlists) offer(i, j int32, square float32) { s.propose(i, j, math.Float32bits(square)) }

// propose is offer by the bits of the squared distance, or by an integer squared distance, and
// reports whether the list may have changed.
func (s *shortlists) propose(i, j int32, square uint32) bool {
	entry := uint64(square)<<32 | uint64(uint32(j))<<1 | 1
	if entry >= s.worst(i) {
		return false
	}
	if s.locks == nil {
		s.insert(int(i), entry)
		return true
	}
	lock := &s.locks[i/lockRows]
	lock.Lock()
	s.insert(int(i), entry)
	lock.Unlock()
	return true
}

func (s *shortlists) insert(i int, entry uint64) {
	list := s.row(i)
	last := len(list) - 1
	if entry >= list[last] {
		return
	}
	p := last
	for p > 0 && list[p-1] > entry {
		p--
	}
	if p > 0 && list[p-1]|1 == entry {
		return // already in the list, new or old
	}
	for q := last; q > p; q-- {
		list[q] = list[q-1]
	}
	list[p] = entry
	atomic.StoreUint64(&s.bound[i], list[last])
}

// holds reports whether list j has i, given i's entry for j. The pair was
// offered to both lists, so it is enough that it is not beyond the last entry.
func (s *shortlists) holds(j, i int32, entry uint64) bool {
	return entry&^0xffffffff|uint64(uint32(i))<<1 <= s.entries[int(j+1)*s.k-1]
}

// fresh counts the entries that are new.
func (s *shortlists) fresh() int {
	var count int
	for _, e := range s.entries {
		count += int(e & 1)
	}
	return count
}

// lacking counts the lists with fewer than k entries.
func (s *shortlists) lacking(k int) int {
	count := 0
	for i := range s.bound {
		if s.row(i)[k-1] >= vacant {
			count++
		}
	}
	return count
}

// widen makes room for k entries in every list and marks all as new. The added entries are vacant
// until rows are compared.
func (s *shortlists) widen(k int) {
	n := len(s.bound)
	wide := pages.Make[uint64](n * k)
	for i := range n {
		row := wide[i*k : (i+1)*k]
		for p := copy(row, s.row(i)); p < k; p++ {
			row[p] = vacant
		}
		for p := range row[:s.k] {
			row[p] |= 1
		}
		s.bound[i] = row[k-1]
	}
	s.k, s.entries = k, wide
}
