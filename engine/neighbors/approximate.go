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

	always bool // search approximately whatever the size, for tests
}

// Report says how a graph was found.
type Report struct {
	Recall     float64 // of the graph returned; 1 where it is exact
	Exact      bool    // found by [Exact]: it is as fast for these sizes, or Reached was too low
	Reached    float64 // best measured recall of the approximate search; 0 where there was none
	Rows       int     // rows on which it was measured
	Trees      int     // random-projection trees planted
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
// for a measured share: by NN-descent (Dong, Moses and Li 2011) from a start in
// the leaves of random-projection trees (Dasgupta and Freund 2008). Every sample
// gets k distinct neighbours at their exact distances, itself left out, sorted,
// ties by lower index.
//
// Recall is measured against the exact neighbours of at least 1000 sampled rows
// (of all, where there are fewer). Where it is below o.Recall, more trees and
// longer lists are tried, and at last [Exact]; the report says which. Data of
// fewer than 2000 samples or 20k, or of at most 5 columns, is searched exactly
// from the outset, which is as fast there. Errors are the same as for Exact, or about
// o.Recall. Typically O(n^1.14 km) time (the paper's estimate)
// and O(n(k + m)) memory besides.
func Approximate(ctx context.Context, x Points, k int, o ApproximateOptions) (*Graph, Report, error) {
	var r Report
	if err := check(x, k); err != nil {
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
	x, by := ordinary(x)
	if x.N >= smallest && x.N >= 20*k && x.M > fewColumns || o.always && x.N > 2*leafFor(2*max(k, leastHeld)) {
		g, err := approximate(ctx, x, k, o, &r)
		if err != nil {
			return g, r, err
		}
		if g != nil {
			return g, r, by.restore(g)
		}
	}
	r.Exact, r.Recall = true, 1
	g, err := Exact(ctx, x, k, Options{Kernels: o.Kernels, Threads: o.Threads, Progress: o.Progress})
	if err != nil {
		return nil, r, err
	}
	return g, r, by.restore(g)
}

// leafFor returns the most points in a leaf: with 2/5 of them at least, a leaf
// gives every point k others.
func leafFor(k int) int { return max(64, 5*(k+1)/2+1) }

// approximate returns no graph where recall stayed too low.
func approximate(ctx context.Context, x Points, k int, o ApproximateOptions, r *Report) (*Graph, error) {
	d := &descent{threads: o.Threads}
	f := &forest{seed: o.Seed, threads: o.Threads}
	trees := 4 + int(math.Round(math.Sqrt(math.Sqrt(float64(x.N)))/4))
	sample := sampleRows(x.N, min(x.N, max(leastRows, o.Rows)), o.Seed)
	r.Rows = len(sample)
	for attempt := range attempts {
		held := max(k, leastHeld) * (attempt + 2) / 2
		report := func(share float64) { o.Progress((float64(attempt) + share) / attempts) }
		if err := f.grow(ctx, x, held, trees, d); err != nil {
			return nil, err
		}
		report(0.3)
		r.Trees += trees
		if err := d.run(ctx, r); err != nil {
			return nil, err
		}
		report(0.8)
		g, err := d.graph(ctx, x, k)
		if err != nil {
			return nil, err
		}
		recall, err := measureRecall(ctx, x, d.x, g, sample, o.Threads)
		if err != nil {
			return nil, err
		}
		before := r.Reached
		r.Reached = max(before, recall)
		if recall >= o.Recall {
			for p, s := range g.Dist { // squared until here
				g.Dist[p] = math.Sqrt(s)
			}
			r.Recall = recall
			o.Progress(1)
			return g, nil
		}
		if recall-before < (o.Recall-before)/4 {
			break // the next attempt would not get there either
		}
	}
	return nil, nil
}

// forest grows the trees of a search.
type forest struct {
	seed    uint64
	threads int
	grown   int
}

// grow adds trees and offers what meets in their leaves to lists of k. The first
// tree of all decides the order of the rows in memory.
func (f *forest) grow(ctx context.Context, x Points, k, count int, d *descent) error {
	leaf := leafFor(k)
	trees := make([]*projectionTree, count)
	first := 0
	seed := func(c int) uint64 { return blas.NewStream(f.seed + uint64(f.grown+c+1)*0xD1B54A32D192ED03).Uint64() }
	if d.x == nil {
		s := newPackedRows(x)
		t, err := newProjectionTree(ctx, s, leaf, seed(0))
		if err != nil {
			return err
		}
		d.x, d.lists = s.arranged(t.order), newShortlists(x.N, k, blas.Threads(f.threads))
		for p := range t.order {
			t.order[p] = int32(p)
		}
		trees[0], first = t, 1
	} else {
		d.lists.widen(k)
	}
	err := blas.For(ctx, f.threads, count-first, 1, func(_, c, _ int) {
		trees[first+c], _ = newProjectionTree(ctx, d.x, leaf, seed(first+c)) // fails with ctx alone, as For does
	})
	if err != nil {
		return err
	}
	for _, t := range trees {
		if err := plant(ctx, d.x, d.lists, t, leaf, f.threads); err != nil {
			return err
		}
	}
	f.grown += count
	return nil
}

// run iterates until few entries change.
func (d *descent) run(ctx context.Context, r *Report) error {
	n, k := d.x.n, d.lists.k
	listing := min(k+3, mostListing)
	d.fresh, d.stale = newCandidates(n, k, listing), newCandidates(n, k, listing)
	for range mostRounds {
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

// graph ranks the lists by exact squared distances, under the samples' own
// numbers.
func (d *descent) graph(ctx context.Context, x Points, k int) (*Graph, error) {
	g := newGraph(x.N, k)
	err := blas.For(ctx, d.threads, x.N, 512, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			i := d.x.label[p]
			found := g.list(int(i))
			for _, e := range d.lists.row(p) {
				j := d.x.label[place(e)]
				found.offer(blas.SquaredDistance(x.Row(int(i)), x.Row(int(j))), j)
			}
			found.finish()
		}
	})
	return g, err
}

// ApproximateBytes is the most memory that [Approximate] takes in addition to n × m samples, its
// graph and the sampled rows on which recall is measured included.
func ApproximateBytes(n, m, k, threads int) int64 {
	rows := int64(n)
	held := int64(max(k, leastHeld)) * (attempts + 1) / 2
	search := rows * (8*int64(m) + 8*held + 2*4*(held+min(held+3, mostListing)) + 64)
	return max(GraphBytes(n, k)+search, ExactBytes(n, m, k, threads))
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
func measureRecall(ctx context.Context, x Points, s *packedRows, g *Graph, sample []int32, threads int) (float64, error) {
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
		at, square := make([]int32, recallTile), make([]float32, recallTile)
		for from := 0; from < s.n && ctx.Err() == nil; from += recallTile {
			to := min(from+recallTile, s.n)
			for p := range at {
				at[p] = int32(min(from+p, s.n-1))
			}
			for _, c := range trials {
				s.squares(s.row(int(place[c.sample])), at[:padded(to-from)], square)
				for p, v := range square[:to-from] {
					if v <= c.reach {
						c.measure(x, s.label[from+p])
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

func newTrial(x Points, s *packedRows, g *Graph, i int32) *trial {
	listed := g.Distances(int(i))
	k := len(listed)
	// A single-precision row is off by at most 2⁻²⁴ of its norm (and by the loss below the least
	// normal number), a sum of m squares by m+2 roundings; in double precision only the loss below the
	// least number matters here.
	const unit = 0x1p-24
	square := listed[k-1] + float64(x.M)*math.SmallestNonzeroFloat64
	size := math.Sqrt(square)*s.scale + 4*unit*(s.radius+0x1p-60)
	return &trial{
		sample: i,
		reach:  math.Nextafter32(float32(size*size*(1+2*float64(x.M+8)*unit)), float32(math.Inf(1))),
		found:  nearest{square: make([]float64, k), index: make([]int32, k)},
	}
}

func (c *trial) measure(x Points, j int32) {
	if j != c.sample {
		c.found.offer(blas.SquaredDistance(x.Row(int(c.sample)), x.Row(int(j))), j)
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
