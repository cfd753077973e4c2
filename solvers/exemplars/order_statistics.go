package exemplars

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/solvers/orderstat"
)

// selector finds order statistics; it keeps its scratch.
type selector struct {
	kept, sample []float64
}

const (
	sampleSize = 256
	// sampleFrom is the length from which a sample pays.
	sampleFrom = 1024
)

// smallest returns the k-th smallest, 1 ≤ k, of the entries of v but for that at
// skip (−1: none is skipped), and leaves the k smallest, in some order, at the front of
// s.kept. A threshold from a sample leaves few entries to a quick-select: the branches
// of the pass over v are then foreseeable. Expected O(n).
func (s *selector) smallest(v []float64, skip, k int) float64 {
	if r := k * sampleSize / len(v); len(v) >= sampleFrom {
		if rank := r + 4*int(math.Sqrt(float64(r))) + 6; rank < sampleSize/2 {
			s.sample = s.sample[:0]
			for i := range sampleSize {
				s.sample = append(s.sample, v[i*len(v)/sampleSize])
			}
			if x, found := s.within(v, skip, k, orderstat.NthSmallest(s.sample, rank)); found {
				return x
			}
		}
	}
	s.kept = append(s.kept[:0], v...)
	if skip >= 0 {
		s.kept = append(s.kept[:skip], v[skip+1:]...)
	}
	return orderstat.NthSmallest(s.kept, k-1)
}

// within is smallest among the entries up to a limit, where there are enough.
func (s *selector) within(v []float64, skip, k int, limit float64) (x float64, found bool) {
	s.kept = s.kept[:0]
	for i, x := range v {
		if x <= limit && i != skip {
			s.kept = append(s.kept, x)
		}
	}
	if len(s.kept) < k {
		return 0, false
	}
	return orderstat.NthSmallest(s.kept, k-1), true
}

// nearest writes the places of the k smallest entries of v but for that at skip,
// ascending by entry and then by place.
func (s *selector) nearest(v []float64, skip int, at []int32) {
	limit := s.smallest(v, skip, len(at))
	below := 0
	for _, x := range s.kept[:len(at)] {
		if x < limit {
			below++
		}
	}
	count, ties := 0, len(at)-below
	for i, x := range v {
		switch {
		case i == skip || x > limit:
		case x < limit:
			at[count] = int32(i)
			count++
		case ties > 0:
			at[count] = int32(i)
			count++
			ties--
		}
	}
	slices.SortFunc(at, func(a, b int32) int { return cmp.Or(cmp.Compare(v[a], v[b]), cmp.Compare(a, b)) })
}

// bitCounts are the counts of one median, a worker's each. They are kept for the next: a median in
// each pass would leave half a MiB a worker behind.
type bitCounts [][]int64

// medianPositive returns the lower median of the positive numbers among those that
// pass hands to its argument, to 20 bits, and 0 where there are none. It calls pass
// twice and keeps none of the numbers: it counts them by the upper halves of their
// bits, which are in the order of the numbers, and then by the next ones.
func (kept *bitCounts) medianPositive(workers int, pass func(count func(worker int, values []float64)) error) (float64, error) {
	for len(*kept) < workers {
		*kept = append(*kept, make([]int64, 1<<16))
	}
	histograms := (*kept)[:workers]
	prefix, rank := uint64(0), int64(-1)
	for _, shift := range []int{48, 32} {
		for _, h := range histograms {
			clear(h)
		}
		err := pass(func(worker int, values []float64) {
			h := histograms[worker]
			for _, v := range values {
				if bits := math.Float64bits(v); v > 0 && bits>>(shift+16) == prefix {
					h[bits>>shift&0xffff]++
				}
			}
		})
		if err != nil {
			return 0, err
		}
		total := histograms[0]
		for _, h := range histograms[1:] {
			for b, c := range h {
				total[b] += c
			}
		}
		if rank < 0 {
			for _, c := range total {
				rank += c
			}
			if rank < 0 {
				return 0, nil
			}
			rank /= 2
		}
		bin := 0
		for ; rank >= total[bin]; bin++ {
			rank -= total[bin]
		}
		prefix = prefix<<16 | uint64(bin)
	}
	return math.Float64frombits(prefix<<32 | 1<<31), nil
}

// Largest returns the k-th largest of v, 1 ≤ k ≤ len(v), and reorders v. Expected
// O(len(v)).
func Largest(v []float64, k int) float64 { return orderstat.NthSmallest(v, len(v)-k) }
