package measures

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Trustworthiness tells whether the neighbours that an embedding shows are
// neighbours in the data (Venna and Kaski 2001). With r(i, j) the rank of j
// among the points by distance from i in the data x, and U the points that are
// among the k nearest of i in the embedding y but not in the data,
//
//	1 − 2/(n·k·(2n − 3k − 1)) · Σ_i Σ_{j∈U_i} (r(i, j) − k)
//
// which lies between 0 and 1. Ranks begin at 1, go by exact Euclidean
// distances, and of equally distant points the lower index comes first.
//
// x is n × m and y n × d. Errors are about different numbers of rows, values
// that are not finite, k outside 1 ≤ k < n/2, and a cancelled context. Time is
// O(n²(m + d)) over the threads, mostly in matrix products; memory is a copy of each wide matrix and
// O(k) a thread.
func Trustworthiness(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return intrusion(ctx, o, "trustworthiness", x, y, k, false)
}

// Continuity tells whether neighbours in the data stay neighbours in the
// embedding: [Trustworthiness] with the roles of the two exchanged, with the
// same errors and cost.
func Continuity(ctx context.Context, x, y mat.Matrix, k int, o Options) (float64, error) {
	return intrusion(ctx, o, "continuity", x, y, k, true)
}

// intrusion computes either measure: the k nearest by one of the matrices,
// ranked by the other.
func intrusion(ctx context.Context, o Options, measure string, x, y mat.Matrix, k int, swap bool) (float64, error) {
	data, err := readPoints(measure, "data", x)
	if err != nil {
		return 0, err
	}
	shown, err := readPoints(measure, "embedding", y)
	if err != nil {
		return 0, err
	}
	n := data.N
	if n != shown.N {
		return 0, fmt.Errorf("%s: the data has %d rows and the embedding %d; they have to be the same samples", measure, n, shown.N)
	}
	if k < 1 || 2*k >= n {
		return 0, fmt.Errorf("%s: %d neighbours asked of %d samples, want at least 1 and fewer than half of the samples", measure, k, n)
	}
	if o, err = o.withDefaults(measure); err != nil {
		return 0, err
	}
	if swap {
		data, shown = shown, data
	}
	over, err := penalty(ctx, o.Threads, newDistances(tame(data)[0], o.Kernels), newDistances(tame(shown)[0], o.Kernels), k)
	return 1 - over, err
}

// penalty returns the sum of r − k over all points of U, over its largest
// possible value: r by the distances of rank, U by those of choice.
func penalty(ctx context.Context, threads int, rank, choice *distances, k int) (float64, error) {
	n := rank.N
	excess := make([]float64, (n+tileRows-1)/tileRows) // of a block, a whole number
	scratch := make([]*ranking, threads)
	err := blas.For(ctx, threads, n, tileRows, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = newRanking(k)
		}
		s := scratch[worker]
		s.choose(choice, lo, hi)
		excess[lo/tileRows] = s.excess(rank, lo, hi)
	})
	sum := 0.0
	for _, e := range excess {
		sum += e
	}
	return 2 * sum / (float64(n) * float64(k) * float64(2*n-3*k-1)), err
}

// candidate is a point at a squared distance.
type candidate struct {
	d float64
	j int
}

// before is the order of neighbours.
func (a candidate) before(b candidate) bool { return a.d < b.d || (a.d == b.d && a.j < b.j) }

// ranking is the working space for one block of points.
type ranking struct {
	k      int
	tile   []float64
	chosen []candidate // k for each point of the block
	held   []int       // how many of them there are so far
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

// choose finds the k nearest of the points lo ≤ i < hi.
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
				held = push(heap, held, candidate{d, j0 + c})
			}
			s.held[i-lo] = held
		}
	}
}

// push offers a candidate to a heap with the farthest on top that keeps the
// nearest len(heap); held of them are there.
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

// excess returns the sum of r − k over the chosen of all points lo ≤ i < hi
// whose rank r exceeds k. Ranks are found without sorting: every point is
// counted in the gap between two chosen ones where its distance falls, and most
// are seen to lie beyond the last of them at the first comparison.
func (s *ranking) excess(by *distances, lo, hi int) float64 {
	for i := lo; i < hi; i++ {
		chosen := s.chosenBy(i - lo)
		for p := range chosen {
			chosen[p].d = by.exact(i, chosen[p].j)
		}
		slices.SortFunc(chosen, func(a, b candidate) int {
			if a.before(b) {
				return -1
			}
			return 1 // no two are equal: their indices differ
		})
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
	sum := 0
	for r := range hi - lo {
		before := 0 // points before the p-th chosen one, which are in the gaps up to it
		for _, c := range s.counts[r*(s.k+1) : r*(s.k+1)+s.k] {
			before += c
			// The p-th gap ends just before chosen p, which is itself counted in the
			// next: its rank is one more.
			sum += max(before+1-s.k, 0)
		}
	}
	return float64(sum)
}

// place returns how many of the chosen, in order, come before or are point j,
// whose distance from i is d give or take the slack.
func (d *distances) place(i, j int, about float64, chosen []candidate) int {
	p, end, low := 0, len(chosen), about-d.slack
	for p < end { // the first chosen one that is not surely before
		if mid := (p + end) / 2; chosen[mid].d < low {
			p = mid + 1
		} else {
			end = mid
		}
	}
	if d.slack > 0 && (p == len(chosen) || chosen[p].d > about+d.slack) {
		return p
	}
	own := candidate{about, j}
	if d.slack > 0 {
		own.d = d.exact(i, j)
	}
	for p < len(chosen) && !own.before(chosen[p]) {
		p++
	}
	return p
}
