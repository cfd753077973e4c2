package neighbors

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// ApproximateOptions configure [Approximate]. The zero value uses all cores, the default
// kernels, seed 0 and a recall of 0.99.
type ApproximateOptions struct {
	Kernels  *blas.Kernels // for exact searches; nil: blas.Select("")
	Threads  int           // 0: all cores; does not change the result
	Seed     uint64        // for the trees, the candidates and the sampled rows
	Recall   float64       // required recall, in (0, 1]; 0: 0.99
	Rows     int           // number of rows on which recall is measured, at least 1000; 0: 1000
	Progress func(done float64)

	// ExactWithin is a time in seconds of one thread. The search is exact if [ExactSeconds] is at most
	// that, and also if an exact search is estimated to be faster.
	ExactWithin float64

	ListsOnly bool // see [Options]; a search from trees frees the distances at its end

	always bool // search approximately whatever the size, for tests
	trees  bool // start in trees whatever the samples, for tests
}

// Report describes how a graph was found.
type Report struct {
	Recall     float64 // of the returned graph; 1 if it is exact
	Exact      bool    // found by [Exact], which is as fast for these sizes, or because Reached was too low
	Reached    float64 // best measured recall of the approximate search; 0: there was none
	Rows       int     // number of rows on which it was measured
	Partitions int     // number of partitions into leaves
	Trees      int     // number of random-projection trees, used if codes do not separate the samples
	Iterations int     // rounds of NN-descent
}

const (
	defaultRecall = 0.99
	minRows       = 1000 // on which recall is measured
	smallest      = 2000 // fewer samples are searched exactly, which is as fast
	fewColumns    = 5    // up to this number of columns the k-d tree of Exact is faster (BenchmarkApproximate, BenchmarkExact)
	attempts      = 3    // before falling back to Exact
	maxRounds     = 30   // rounds of one attempt
	minHeld       = 15   // neighbours kept for every sample, even if fewer are requested
	settled       = 0.02
)

// Approximate finds k neighbours of every sample, of which a measured share are the nearest ones.
// It compares all pairs within the leaves of overlapping random partitions, by products of
// bytes, and adds partitions until the recall is reached (the partitions of PiPNN, arXiv:2602.21247). If
// bytes do not separate the samples, it uses NN-descent (Dong, Moses and Li 2011) from the leaves of
// random-projection trees (Dasgupta and Freund 2008). Every sample
// gets k distinct neighbours other than itself, sorted by exact distance,
// ties by lower index.
//
// Recall is measured against the exact neighbours of at least 1000 sampled rows
// (all rows, if there are fewer). If that takes longer than [Exact], or the recall stays below o.Recall,
// the search falls back to Exact, as stated in the report. Data of
// fewer than 2000 samples or 20k, or of at most 5 columns, are searched exactly
// from the outset, which is as fast. Errors are those of Exact, or about
// o.Recall. O(n(leaf + √n)m) products of bytes for each partition, and O(n(k + m)) additional memory.
func Approximate(ctx context.Context, x Points, k int, o ApproximateOptions) (*Graph, Report, error) {
	return ApproximateStored(ctx, x.Stored(), k, o)
}

// ApproximateStored is [Approximate] for samples in the type in which they were stored. It makes no copy
// in float64 if bytes separate them.
func ApproximateStored(ctx context.Context, x *Stored, k int, o ApproximateOptions) (*Graph, Report, error) {
	var r Report
	if err := checkCount(x.n, k); err != nil {
		return nil, r, err
	}
	if o.Recall == 0 {
		o.Recall = defaultRecall
	}
	if !(o.Recall > 0 && o.Recall <= 1) {
		return nil, r, fmt.Errorf("neighbors: recall %v requested; give a number above 0 and at most 1", o.Recall)
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	x, by, err := x.ordinary()
	if err != nil {
		return nil, r, err
	}
	if o.WhyExact(x.n, x.m, k) == "" || o.always && x.n > 2*leafFor(2*max(k, minHeld)) {
		g, err := approximate(ctx, x, k, o, &r)
		if err != nil {
			return nil, r, err
		}
		if g != nil {
			return g, r, by.restore(g)
		}
	}
	r.Exact, r.Recall = true, 1
	g, err := ExactStored(ctx, x, k, Options{Kernels: o.Kernels, Threads: o.Threads, Progress: o.Progress, ListsOnly: o.ListsOnly})
	if err != nil {
		return nil, r, err
	}
	return g, r, by.restore(g)
}

// approximate returns no graph if the recall stays too low.
func approximate(ctx context.Context, x *Stored, k int, o ApproximateOptions, r *Report) (*Graph, error) {
	sample := sampleRows(x.n, min(x.n, max(minRows, o.Rows)), o.Seed)
	r.Rows = len(sample)
	if x.m <= blas.MaxCodeColumns && !o.trees {
		if g, err := byLeaves(ctx, x, k, o, sample, r); err != nil || r.Partitions > 0 {
			return g, err
		}
	}
	return byTrees(ctx, x, k, o, sample, r)
}

// measure fills a graph with the nearest in each list by exact squared distances, under the samples' own numbers. A list
// that lacks neighbours takes the nearest of all samples.
func (g *Graph) measure(ctx context.Context, x *Stored, lists *shortlists, label []int32, threads int) error {
	return blas.For(ctx, threads, x.n, 512, func(_, lo, hi int) {
		d, squares := x.distances(), make([]float64, len(g.Of(0)))
		for p := lo; p < hi; p++ {
			i := label[p]
			found, list := g.listIn(squares, int(i)), lists.row(p)
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
}

// ApproximateBytes returns the peak memory of [Approximate] in addition to n × m samples, including
// the graph and the sampled rows on which recall is measured.
func ApproximateBytes(n, m, k, threads int) int64 {
	return max(approximateBytes(n, m, k, threads, false), ExactBytes(n, m, k, threads))
}

func approximateBytes(n, m, k, threads int, listsOnly bool) int64 {
	rows := int64(n)
	held := int64(max(k, minHeld)) * (attempts + 1) / 2
	trees := rows * (8*int64(m+7) + 8*held + 2*4*(held+min(held+3, maxListing)) + 64)
	leaves := leafBytes(n, m, truthRows(n, k), threads)
	return max(GraphBytes(n, k)+trees, listsBytes(n, k, listsOnly)+leaves)
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

// recallTile is the number of rows swept for one group of sampled rows before
// the next: a few hundred KiB of typical data.
const (
	recallTile  = 512
	recallBlock = 32
)

// measureRecall returns the share of true neighbours among the listed ones (with squared distances in
// g.Dist), over the sampled rows. A neighbour is true if it is not farther than
// the true k-th neighbour, so any choice among ties is right. The result is exact: single precision only
// excludes samples farther than the listed k-th by more than its rounding error; the rest
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
	// A single-precision row has a relative error of at most 2⁻²⁴ (plus underflow below the smallest
	// normal number), and a sum of m squares has m+2 rounding errors. In double precision only underflow
	// matters here.
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

// hits counts the listed neighbours that are not farther than the true k-th.
func (c *trial) hits(g *Graph) int {
	if !c.found.full() {
		return 0 // the sweep was cancelled
	}
	var count int
	for _, square := range g.Distances(int(c.sample)) {
		if square <= c.found.bound() {
			count++
		}
	}
	return count
}
