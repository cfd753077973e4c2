package neighbors

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// ApproximateOptions of [Approximate]. The zero value uses all cores, the default
// kernels, seed 0 and a recall of 0.99.
type ApproximateOptions struct {
	Kernels  *blas.Kernels // for exact searches; nil: blas.Select("")
	Threads  int           // 0: all cores; changes no bit
	Seed     uint64        // of the trees, the candidates and the sampled rows
	Recall   float64       // the least to be content with, in (0, 1]; 0: 0.99
	Rows     int           // on which recall is measured, at least 1000; 0: 1000
	Progress func(done float64)

	// ExactWithin is the number of seconds by [ExactSeconds], of one thread, within which the samples are searched
	// exactly; they are, too, where that is estimated to be faster.
	ExactWithin float64

	always bool // search approximately whatever the size, for tests
	trees  bool // start in trees whatever the samples, for tests
}

// Report says how a graph was found.
type Report struct {
	Recall     float64 // of the graph returned; 1 where it is exact
	Exact      bool    // found by [Exact]: it is as fast for these sizes, or Reached was too low
	Reached    float64 // best measured recall of the approximate search; 0 where there was none
	Rows       int     // rows on which it was measured
	Partitions int     // into leaves
	Trees      int     // random-projection trees planted, where codes do not separate the samples
	Iterations int     // rounds of NN-descent
}

const (
	defaultRecall = 0.99
	leastRows     = 1000 // on which recall is measured
	smallest      = 2000 // samples below which exact search is as fast
	fewColumns    = 5    // up to which the k-d tree of Exact is faster (BenchmarkApproximate, BenchmarkExact)
	attempts      = 3    // before the search is left to Exact
	mostRounds    = 30   // of one attempt
	leastHeld     = 15   // neighbours held of every sample, however few are requested
	settled       = 0.02
)

// Approximate finds k neighbours of every sample that are the nearest ones but
// for a measured share: all pairs are compared in the leaves of overlapping random partitions, by products of
// bytes, of as many partitions as the recall takes (the partitions of PiPNN, arXiv:2602.21247). The neighbours of
// samples that bytes do not separate are found by NN-descent (Dong, Moses and Li 2011) from the leaves of
// random-projection trees (Dasgupta and Freund 2008). Every sample
// gets k distinct neighbours at their exact distances, itself left out, sorted,
// ties by lower index.
//
// Recall is measured against the exact neighbours of at least 1000 sampled rows
// (of all, where there are fewer). Where that takes longer than [Exact], or stays below o.Recall, the search
// is left to it; the report says so. Data of
// fewer than 2000 samples or 20k, or of at most 5 columns, is searched exactly
// from the outset, which is as fast there. Errors are the same as for Exact, or about
// o.Recall. O(n(leaf + √n)m) products of bytes for each partition, and O(n(k + m)) memory besides.
func Approximate(ctx context.Context, x Points, k int, o ApproximateOptions) (*Graph, Report, error) {
	return ApproximateStored(ctx, x.Stored(), k, o)
}

// ApproximateStored is [Approximate] among samples in the type in which they came, without a copy of them in float64
// where bytes separate them.
func ApproximateStored(ctx context.Context, x *Stored, k int, o ApproximateOptions) (*Graph, Report, error) {
	var r Report
	if err := checkCount(x.n, k); err != nil {
		return nil, r, err
	}
	if o.Recall == 0 {
		o.Recall = defaultRecall
	}
	if !(o.Recall > 0 && o.Recall <= 1) {
		return nil, r, fmt.Errorf("neighbors: recall %v asked; give a number above 0 and at most 1", o.Recall)
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	x, by, err := x.ordinary()
	if err != nil {
		return nil, r, err
	}
	long := o.ExactWithin == 0 || ExactSeconds(x.n, x.m, k, 1) > max(o.ExactWithin, ApproximateSeconds(x.n, x.m, k, 1))
	if x.n >= smallest && x.n >= 20*k && x.m > fewColumns && long || o.always && x.n > 2*leafFor(2*max(k, leastHeld)) {
		g, err := approximate(ctx, x, k, o, &r)
		if err != nil {
			return nil, r, err
		}
		if g != nil {
			return g, r, by.restore(g)
		}
	}
	r.Exact, r.Recall = true, 1
	g, err := ExactStored(ctx, x, k, Options{Kernels: o.Kernels, Threads: o.Threads, Progress: o.Progress})
	if err != nil {
		return nil, r, err
	}
	return g, r, by.restore(g)
}

// approximate returns no graph where recall stayed too low.
func approximate(ctx context.Context, x *Stored, k int, o ApproximateOptions, r *Report) (*Graph, error) {
	sample := sampleRows(x.n, min(x.n, max(leastRows, o.Rows)), o.Seed)
	r.Rows = len(sample)
	if x.m <= blas.MostCodeColumns && !o.trees {
		if g, err := byLeaves(ctx, x, k, o, sample, r); err != nil || r.Partitions > 0 {
			return g, err
		}
	}
	return byTrees(ctx, x, k, o, sample, r)
}

// measured are the k nearest in each list by exact squared distances, under the samples' own numbers. A list that lacks
// neighbours takes the nearest of all samples.
func measured(ctx context.Context, x *Stored, lists *shortlists, label []int32, k, threads int) (*Graph, error) {
	g := newGraph(x.n, k)
	err := blas.For(ctx, threads, x.n, 512, func(_, lo, hi int) {
		d := x.distances()
		for p := lo; p < hi; p++ {
			i := label[p]
			found, list := g.list(int(i)), lists.row(p)
			for q, e := range list {
				if e >= vacant {
					break
				}
				if q+1 < len(list) && list[q+1] < vacant {
					x.prefetch(int(label[place(list[q+1])]))
				}
				j := label[place(e)]
				found.offer(d.square(i, j), j)
			}
			if !found.full() {
				found.count = 0
				for j := range int32(x.n) {
					if j != i {
						found.offer(d.square(i, j), j)
					}
				}
			}
			found.finish()
		}
	})
	return g, err
}

// ApproximateBytes is the most memory that [Approximate] takes in addition to n × m samples, its
// graph and the sampled rows on which recall is measured included.
func ApproximateBytes(n, m, k, threads int) int64 {
	return max(approximateBytes(n, m, k, threads), ExactBytes(n, m, k, threads))
}

func approximateBytes(n, m, k, threads int) int64 {
	rows := int64(n)
	held := int64(max(k, leastHeld)) * (attempts + 1) / 2
	trees := rows * (8*int64(m+7) + 8*held + 2*4*(held+min(held+3, mostListing)) + 64)
	leaves := leafBytes(n, m, truthRows(n, k), threads)
	return GraphBytes(n, k) + max(trees, leaves)
}

// sampleRows draws `count` of n rows without replacement.
func sampleRows(n, count int, seed uint64) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	rng := blas.NewStream(seed)
	for i := range count {
		j := i + rng.Below(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:count]
}

// recallTile is the number of rows swept for one stretch of sampled rows before
// the next: some hundred KiB of typical data.
const (
	recallTile  = 512
	recallBlock = 32
)

// measureRecall returns the share of the listed neighbours (squared distances in
// g.Dist) that are true ones, over the sampled rows: those not further away than
// the true k-th neighbour, so that among ties any choice is right. Exact: single precision only
// rules out samples that are further away than the listed k-th by more than its rounding; the rest
// are measured by direct differences in double precision. O(|sample| nm).
func measureRecall(ctx context.Context, x *Stored, s *packedRows, g *Graph, sample []int32, threads int) (float64, error) {
	place := make([]int32, s.n)
	for p, i := range s.label {
		place[i] = int32(p)
	}
	hits := make([]int, len(sample))
	err := blas.For(ctx, threads, len(sample), recallBlock, func(_, lo, hi int) {
		trials := make([]*trial, hi-lo)
		for c := range trials {
			trials[c] = newTrial(x, s, g, sample[lo+c])
		}
		at, square, d := make([]int32, recallTile), make([]float32, recallTile), x.distances()
		for from := 0; from < s.n && ctx.Err() == nil; from += recallTile {
			to := min(from+recallTile, s.n)
			for p := range at {
				at[p] = int32(min(from+p, s.n-1))
			}
			for _, c := range trials {
				s.squares(s.row(int(place[c.sample])), at[:padded(to-from)], square)
				for p, v := range square[:to-from] {
					if v <= c.reach {
						c.measure(&d, s.label[from+p])
					}
				}
			}
		}
		for c := range trials {
			hits[lo+c] = trials[c].hits(g)
		}
	})
	if err != nil {
		return 0, err
	}
	var right, listed int
	for c, i := range sample {
		right += hits[c]
		listed += len(g.Of(int(i)))
	}
	return float64(right) / float64(listed), nil
}

// trial is the search for the true neighbours of one sampled row.
type trial struct {
	sample int32
	reach  float32
	found  nearest
}

func newTrial(x *Stored, s *packedRows, g *Graph, i int32) *trial {
	listed := g.Distances(int(i))
	k := len(listed)
	// A single-precision row is off by at most 2⁻²⁴ of its norm (and by the loss below the least
	// normal number), a sum of m squares by m+2 roundings; in double precision only the loss below the
	// least number matters here.
	const unit = 0x1p-24
	square := listed[k-1] + float64(x.m)*math.SmallestNonzeroFloat64
	size := math.Sqrt(square)*s.scale + 4*unit*(s.radius+0x1p-60)
	return &trial{
		sample: i,
		reach:  math.Nextafter32(float32(size*size*(1+2*float64(x.m+8)*unit)), float32(math.Inf(1))),
		found:  nearest{square: make([]float64, k), index: make([]int32, k)},
	}
}

func (c *trial) measure(d *distances, j int32) {
	if j != c.sample {
		c.found.offer(d.square(c.sample, j), j)
	}
}

// hits counts the listed neighbours not further away than the true k-th.
func (c *trial) hits(g *Graph) int {
	if !c.found.full() {
		return 0 // the sweep was cut short by a cancellation
	}
	var count int
	for _, square := range g.Distances(int(c.sample)) {
		if square <= c.found.bound() {
			count++
		}
	}
	return count
}
