package neighbors

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// truth holds the true neighbours of sampled rows, for measuring the recall of a search.
type truth struct {
	x      *Stored
	sample []int32
	k      int
	kth    []float64   // squared distance of the true k-th neighbour of each
	near   *shortlists // nearest of each by codes
}

const (
	truthTile = 256 // rows compared with the sample at a time
	// maxDoubts is the largest share of the pairs to measure; with more, codes do not separate the
	// samples well enough.
	maxDoubts = 1. / 100
)

// newTruth finds the exact k nearest of the sampled rows: codes exclude rows within their error bounds, and
// the others are measured. It returns nil if codes exclude too few. O(|sample| nm).
func newTruth(ctx context.Context, x *Stored, rows *byteRows, sample []int32, k, threads int) (*truth, error) {
	wide := truthRows(x.n, k)
	t := &truth{x: x, sample: sample, k: k, kth: make([]float64, len(sample)), near: newShortlists(len(sample), wide, blas.Threads(threads))}
	s := newTruthSweep(t, rows, threads)
	err := s.run(ctx, func(p int, j, square int32) {
		if t.near.propose(int32(p), j, uint32(square)) {
			s.admit(p, int32(min(t.near.worst(int32(p))>>32, farthest)))
		}
	})
	if err != nil {
		return nil, err
	}
	found := t.nearest(wide)
	if !rows.exact {
		if found, err = s.doubts(ctx, found); found == nil {
			return nil, err
		}
	}
	for p := range found {
		if !found[p].full() {
			return nil, nil
		}
		t.kth[p] = found[p].bound()
	}
	return t, nil
}

// truthRows is the number of nearest by codes kept for each sampled row.
func truthRows(n, k int) int { return min(2*k+16, n-1) }

// nearest returns the k nearest among the first held by codes.
func (t *truth) nearest(held int) []nearest {
	found, d := make([]nearest, len(t.sample)), t.x.distances()
	for p, i := range t.sample {
		found[p] = nearest{square: make([]float64, t.k), index: make([]int32, t.k)}
		for _, e := range t.near.row(p)[:held] {
			found[p].offer(d.square(i, place(e)), place(e))
		}
	}
	return found
}

// held returns the smallest number of nearest by codes that contain at least the given share of the k nearest;
// 0: the share is not reached.
func (t *truth) held(share float64) int {
	found, d := make([]int, t.near.k), t.x.distances() // true neighbours by their ranks among codes
	for p, i := range t.sample {
		for rank, e := range t.near.row(p) {
			if d.square(i, place(e)) <= t.kth[p] {
				found[rank]++
			}
		}
	}
	total := 0
	for rank, count := range found {
		total += count
		if rank+1 >= t.k && float64(total) >= share*float64(t.k*len(t.sample)) {
			return rank + 1
		}
	}
	return 0
}

// recall returns the share of true neighbours among the best k of each list by distance. A neighbour is true if
// it is not farther than the true k-th, so any choice among ties is right.
func (t *truth) recall(lists *shortlists, label, placeOf []int32) float64 {
	hits, d := 0, t.x.distances()
	for p, i := range t.sample {
		count := 0
		for _, e := range lists.row(int(placeOf[i])) {
			if e < vacant && d.square(i, label[place(e)]) <= t.kth[p] {
				count++
			}
		}
		hits += min(count, t.k)
	}
	return float64(hits) / float64(t.k*len(t.sample))
}

// truthSweep compares the sampled rows with all rows.
type truthSweep struct {
	t       *truth
	rows    *byteRows
	threads int
	padded  int // number of sampled rows, rounded up to whole groups
	above   []atomic.Int32
}

func newTruthSweep(t *truth, rows *byteRows, threads int) *truthSweep {
	s := &truthSweep{t: t, rows: rows, threads: threads, padded: (len(t.sample) + blas.CodeGroup - 1) &^ (blas.CodeGroup - 1)}
	s.above = make([]atomic.Int32, len(t.sample))
	for p := range t.sample {
		s.above[p].Store(-farthest)
	}
	return s
}

// admit lowers the largest squared distance between codes for rows offered to sampled row p.
func (s *truthSweep) admit(p int, most int32) {
	s.above[p].Store((s.rows.square[s.t.sample[p]] - most - 1) >> 1)
}

// run calls offer, concurrently, for every sampled row and every other row within its reach.
func (s *truthSweep) run(ctx context.Context, offer func(p int, j, square int32)) error {
	type scratch struct {
		codes    *blas.Codes
		places   []int32
		half     []int32
		never    []int32
		products []int32
		mask     [truthTile / 64]uint64
	}
	workers := make([]*scratch, blas.Threads(s.threads))
	sample := s.t.sample
	return blas.For(ctx, s.threads, s.rows.n, truthTile, func(w, lo, hi int) {
		c := workers[w]
		if c == nil {
			c = &scratch{codes: blas.NewCodes(s.padded+truthTile, s.rows.m), places: make([]int32, truthTile),
				half: make([]int32, truthTile), never: make([]int32, truthTile), products: make([]int32, blockRows*truthTile)}
			s.rows.gather(c.codes, 0, sample)
			for q := range c.never {
				c.never[q] = farthest
			}
			workers[w] = c
		}
		width := hi - lo
		for q := range width {
			c.places[q], c.half[q] = int32(lo+q), s.rows.square[lo+q]/2
		}
		s.rows.gather(c.codes, s.padded, c.places[:width])
		for from := 0; from < len(sample); from += blockRows {
			count := min(blockRows, len(sample)-from)
			c.codes.Products(from, count, s.padded, width, c.products, truthTile)
			for p := from; p < from+count; p++ {
				row := c.products[(p-from)*truthTile:][:width]
				if !blas.CandidateCodes(c.mask[:], row, c.half[:width], c.never[:width], 0, s.above[p].Load()) {
					continue
				}
				for q := range setBits(c.mask[:(width+63)/64]) {
					if j := int32(lo + q); j != sample[p] {
						offer(p, j, s.rows.square[sample[p]]+s.rows.square[j]-2*row[q])
					}
				}
			}
		}
	})
}

// doubts measures the rows that codes do not exclude from the k nearest, given the nearest so far. It
// returns nil if there are too many.
func (s *truthSweep) doubts(ctx context.Context, found []nearest) ([]nearest, error) {
	t := s.t
	reach := make([]int32, len(found))
	for p := range found {
		if !found[p].full() {
			return nil, nil // the samples are no longer finite
		}
		reach[p] = below(math.Sqrt(found[p].bound())/s.rows.step + 2*s.rows.err)
		s.admit(p, reach[p])
	}
	var left atomic.Int64
	left.Store(int64(maxDoubts*float64(len(found))*float64(t.x.n)) + int64(4*t.near.k*len(found)))
	doubtful, locks := make([][]int32, len(found)), make([]sync.Mutex, len(found))
	err := s.run(ctx, func(p int, j, square int32) {
		if square > reach[p] || left.Add(-1) < 0 {
			return
		}
		locks[p].Lock()
		doubtful[p] = append(doubtful[p], j)
		locks[p].Unlock()
	})
	if err != nil || left.Load() < 0 {
		return nil, err
	}
	err = blas.For(ctx, s.threads, len(found), 8, func(_, lo, hi int) {
		d := t.x.distances()
		for p := lo; p < hi; p++ {
			found[p] = nearest{square: make([]float64, t.k), index: make([]int32, t.k)}
			for _, j := range doubtful[p] {
				found[p].offer(d.square(t.sample[p], j), j)
			}
		}
	})
	return found, err
}
