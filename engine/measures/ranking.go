package measures

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// overChosen sums a function over the k nearest of every point by the
// distances of choice, with the rank of each by the distances of rank. The order of the sum is the same
// for any number of threads.
func overChosen(ctx context.Context, threads int, rank, choice *distances, k int, of func(c candidate, rank int) float64) (float64, error) {
	n := rank.N
	sums := make([]float64, (n+tileRows-1)/tileRows) // of a block
	scratch := make([]*ranking, threads)
	err := blas.For(ctx, threads, n, tileRows, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = newRanking(k)
		}
		s := scratch[worker]
		s.choose(choice, lo, hi)
		sums[lo/tileRows] = s.ranks(rank, lo, hi, of)
	})
	sum := 0.0
	for _, e := range sums {
		sum += e
	}
	return sum, err
}

// candidate is a point with its squared distance.
type candidate struct {
	d     float64
	j     int32
	place int32 // among the chosen, from 1
}

// before is the order of neighbours.
func (a candidate) before(b candidate) bool { return a.d < b.d || (a.d == b.d && a.j < b.j) }

// inOrder sorts candidates. No two are equal, because their indices differ.
func inOrder(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
}

// ranking is the working space for one block of points.
type ranking struct {
	k      int
	tile   []float64
	chosen []candidate // k for each point of the block
	held   []int       // number of them so far
	counts []int       // k + 1 for each point of the block
}

func newRanking(k int) *ranking {
	return &ranking{
		k:      k,
		tile:   make([]float64, tileRows*tileCols),
		chosen: make([]candidate, tileRows*k),
		held:   make([]int, tileRows),
		counts: make([]int, tileRows*(k+1)),
	}
}

func (s *ranking) chosenBy(r int) []candidate { return s.chosen[r*s.k : (r+1)*s.k] }

// choose finds the k nearest of the points lo ≤ i < hi, in their order.
func (s *ranking) choose(by *distances, lo, hi int) {
	clear(s.held)
	for j0 := 0; j0 < by.N; j0 += tileCols {
		j1 := min(j0+tileCols, by.N)
		by.tile(lo, hi, j0, j1, s.tile)
		for i := lo; i < hi; i++ {
			heap, held := s.chosenBy(i-lo), s.held[i-lo]
			for c, d := range s.tile[(i-lo)*tileCols : (i-lo)*tileCols+j1-j0] {
				if j0+c == i || (held == s.k && d-by.slack > heap[0].d) {
					continue
				}
				if by.slack > 0 {
					d = by.exact(i, j0+c)
				}
				held = push(heap, held, candidate{d: d, j: int32(j0 + c)})
			}
			s.held[i-lo] = held
		}
	}
	for r := range hi - lo {
		chosen := s.chosenBy(r)
		inOrder(chosen)
		for p := range chosen {
			chosen[p].place = int32(p + 1)
		}
	}
}

// push offers a candidate to a heap, with the farthest on top, that keeps the
// nearest len(heap); held of them are present.
func push(heap []candidate, held int, c candidate) int {
	at := held
	switch {
	case held < len(heap):
		for at > 0 && heap[(at-1)/2].before(c) {
			heap[at] = heap[(at-1)/2]
			at = (at - 1) / 2
		}
		heap[at] = c
		return held + 1
	case !c.before(heap[0]):
		return held
	}
	for at = 0; ; {
		child := 2*at + 1
		if child >= held {
			break
		}
		if child+1 < held && heap[child].before(heap[child+1]) {
			child++
		}
		if !c.before(heap[child]) {
			break
		}
		heap[at] = heap[child]
		at = child
	}
	heap[at] = c
	return held
}

// ranks sums a function over the chosen points of all points lo ≤ i < hi,
// with the rank of each. Ranks are found without sorting: every point is
// counted in the gap between two chosen ones that contains its distance, and for most points the first
// comparison shows that they lie beyond the last chosen one.
func (s *ranking) ranks(by *distances, lo, hi int, of func(c candidate, rank int) float64) float64 {
	for i := lo; i < hi; i++ {
		chosen := s.chosenBy(i - lo)
		for p := range chosen {
			chosen[p].d = by.exact(i, int(chosen[p].j))
		}
		inOrder(chosen)
	}
	clear(s.counts)
	for j0 := 0; j0 < by.N; j0 += tileCols {
		j1 := min(j0+tileCols, by.N)
		by.tile(lo, hi, j0, j1, s.tile)
		for i := lo; i < hi; i++ {
			chosen, counts := s.chosenBy(i-lo), s.counts[(i-lo)*(s.k+1):]
			last := chosen[s.k-1].d + by.slack
			for c, d := range s.tile[(i-lo)*tileCols : (i-lo)*tileCols+j1-j0] {
				if d <= last && j0+c != i {
					counts[by.place(i, j0+c, d, chosen)]++
				}
			}
		}
	}
	sum := 0.0
	for r := range hi - lo {
		before, counts := 0, s.counts[r*(s.k+1):] // points before the p-th chosen one, which are in the gaps up to it
		for p, c := range s.chosenBy(r) {
			before += counts[p]
			// The p-th gap ends just before chosen p, which is itself counted in the
			// next: its rank is one more.
			sum += of(c, before+1)
		}
	}
	return sum
}

// place returns how many of the chosen points, in order, precede point j or are point j,
// whose distance from i is d up to the slack.
func (d *distances) place(i, j int, about float64, chosen []candidate) int {
	p, end, low := 0, len(chosen), about-d.slack
	for p < end { // the first chosen one that does not certainly precede j
		if mid := (p + end) / 2; chosen[mid].d < low {
			p = mid + 1
		} else {
			end = mid
		}
	}
	if d.slack > 0 && (p == len(chosen) || chosen[p].d > about+d.slack) {
		return p
	}
	own := candidate{d: about, j: int32(j)}
	if d.slack > 0 {
		own.d = d.exact(i, j)
	}
	for p < len(chosen) && !own.before(chosen[p]) {
		p++
	}
	return p
}
