// Package communities finds groups of vertices that have many edges among themselves and few to others.
package communities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// Partition assigns each vertex to one of Count communities.
type Partition struct {
	Label      []int32 // the community of each vertex, numbered by its first vertex
	Count      int
	Quality    float64 // of the quality function of Options
	Iterations int     // of the run that was kept
}

// Options configure [Leiden]. The zero value is one run of modularity at the resolution 1.
type Options struct {
	Quality    Quality
	Resolution *float64 // γ ≥ 0: the higher, the more communities; nil: 1
	// Iterations is the most iterations of a run, each of which starts from the partition of the one before; 0: until an iteration changes nothing.
	Iterations int
	// Tolerance ends a run once an iteration raises the quality by at most this share of it; 0: once an iteration changes nothing.
	Tolerance  float64
	Runs       int      // independent runs, of which the one of the highest quality is kept; 0: 1
	Randomness *float64 // θ of the refinement, in units of the mean weight of an edge; nil: 0.01; 0: always the best community
	Start      []int32  // the partition to start from, with labels from 0 to n − 1; nil: each vertex alone
	Seed       uint64   // of the orders and the refinement
	Threads    int      // 0: all cores; the result does not depend on it
	Progress   func(run int)
}

// Leiden maximises the quality of a partition of a graph with symmetric nonnegative weights (Traag, Waltman, van Eck,
// Scientific Reports 9, 2019, Algorithm A.2). An iteration alternates three phases until no vertices are left to merge: vertices
// move to the community with the largest gain, and neighbours of a moved one are visited again; each community is
// divided into well-connected parts, which vertices join at random, with probabilities that grow as exp(gain/θ); and the parts become
// the vertices of a smaller graph. The quality never falls. Communities are connected, and no two can be merged with a gain.
//
// Draws are from streams that the seed, the run, the iteration and the community determine, so that the partition does not depend on the
// number of threads: these share the runs, and the communities of a refinement. The diagonal of w counts once.
// About O(nnz) for each level of an iteration; [Bytes] of memory in addition to w.
func Leiden(ctx context.Context, w *sparse.CSR, o Options) (Partition, error) {
	found, err := o.all(ctx, w)
	if err != nil {
		return Partition{}, err
	}
	return bestOf(found), nil
}

// all returns the partitions of all runs.
func (o Options) all(ctx context.Context, w *sparse.CSR) ([]Partition, error) {
	base, total, err := o.read(w)
	if err != nil {
		return nil, err
	}
	runs, threads := max(o.Runs, 1), blas.Threads(o.Threads)
	found, errs := make([]Partition, runs), make([]error, runs)
	rate := o.rate(total)
	if err := blas.For(ctx, threads, runs, 1, func(_, r, _ int) {
		s := &search{ctx: ctx, threads: max(1, threads/runs), rate: rate, seed: drawn(o.Seed, uint64(r))}
		s.temperature = 0.01 // the default in Options
		if o.Randomness != nil {
			s.temperature = *o.Randomness
		}
		if entries := len(base.col); entries > 0 {
			s.temperature *= total / float64(entries)
		}
		if o.Tolerance > 0 {
			s.quality = func(g *graph, label []int32) float64 {
				return o.Quality.of(g, label, number(label), o.resolution(), total)
			}
		}
		label, iterations, err := s.run(base, o.Start, o.Iterations, o.Tolerance)
		if errs[r] = err; err != nil {
			return
		}
		found[r] = Partition{Label: label, Count: number(label), Iterations: iterations}
		found[r].Quality = o.Quality.of(base, found[r].Label, found[r].Count, o.resolution(), total)
		if o.Progress != nil {
			o.Progress(r)
		}
	}); err != nil {
		return nil, err
	}
	return found, cmp.Or(errs...)
}

// bestOf returns the first partition of the highest quality.
func bestOf(found []Partition) Partition {
	best := 0
	for r := range found {
		if found[r].Quality > found[best].Quality {
			best = r
		}
	}
	return found[best]
}

// Bytes is the memory of [Leiden] for a graph of n vertices with nnz entries, with that many runs and threads: for each run at work the
// orders and sums of its vertices, and at most two smaller graphs with the entries of the first.
func Bytes(n, nnz, runs, threads int) int64 {
	threads = blas.Threads(threads)
	atOnce := min(max(runs, 1), threads)
	own := 96*int64(n) + 24*int64(nnz) + 12*int64(n)*int64(max(1, threads/max(runs, 1)))
	return 16*int64(n) + int64(atOnce)*own + 4*int64(n)*int64(max(runs, 1))
}

// read checks a graph and the options, and returns the graph with the sizes of its vertices, and its weight Σ w_ij.
func (o Options) read(w *sparse.CSR) (*graph, float64, error) {
	if w.Rows != w.Cols {
		return nil, 0, fmt.Errorf("communities: the matrix is %d × %d; give a square one", w.Rows, w.Cols)
	}
	if v := o.resolution(); !(v >= 0) || math.IsInf(v, 1) {
		return nil, 0, fmt.Errorf("communities: the resolution is %v; give a finite number ≥ 0", v)
	}
	if !(o.Tolerance >= 0) {
		return nil, 0, fmt.Errorf("communities: the tolerance is %v; give a number ≥ 0", o.Tolerance)
	}
	if o.Randomness != nil && (!(*o.Randomness >= 0) || math.IsInf(*o.Randomness, 1)) {
		return nil, 0, fmt.Errorf("communities: the randomness is %v; give a finite number ≥ 0", *o.Randomness)
	}
	if o.Start != nil {
		if len(o.Start) != w.Rows {
			return nil, 0, fmt.Errorf("communities: a start of %d labels for %d vertices; give one for each", len(o.Start), w.Rows)
		}
		for i, c := range o.Start {
			if c < 0 || int(c) >= w.Rows {
				return nil, 0, fmt.Errorf("communities: vertex %d (counting from 0) starts in community %d; give a number from 0 to %d", i, c, w.Rows-1)
			}
		}
	}
	size := pages.Make[float64](w.Rows)
	var total float64
	for i := range w.Rows {
		_, vals := w.Row(i)
		for _, v := range vals {
			if !(v >= 0) || math.IsInf(v, 1) {
				return nil, 0, errors.New("communities: a weight is negative or not finite; give nonnegative weights")
			}
			size[i] += v
		}
		total += size[i]
	}
	if math.IsInf(total, 1) {
		return nil, 0, errors.New("communities: the sum of the weights is beyond the range of numbers; divide them by a constant")
	}
	if o.Quality == CPM {
		for i := range size {
			size[i] = 1
		}
	}
	return &graph{ptr: w.Ptr, col: w.Col, val: w.Val, size: size}, total, nil
}

// graph is a symmetric weighted graph whose vertices have sizes: their degrees for modularity, and the number of samples for CPM.
type graph struct {
	ptr  []int
	col  []int32
	val  []float64
	size []float64
}

func (g *graph) len() int { return len(g.size) }

func (g *graph) row(i int32) ([]int32, []float64) {
	lo, hi := g.ptr[i], g.ptr[i+1]
	return g.col[lo:hi], g.val[lo:hi]
}

// search is one run.
type search struct {
	ctx         context.Context
	threads     int
	rate        float64 // r in the gain w(v, C) − r·n_v·n_C
	temperature float64 // θ, in the unit of the weights
	seed        uint64
	draws       uint64 // streams taken by this run
	sorted      bool   // rows of smaller graphs ascend
	space       space
	quality     func(g *graph, label []int32) float64 // numbers the labels; nil: it is not measured
}

// stream returns the next stream of the run.
func (s *search) stream() uint64 {
	s.draws++
	return drawn(s.seed, s.draws)
}

// drawn returns the seed of stream k of a seed.
func drawn(seed, k uint64) uint64 {
	return blas.NewStream(blas.NewStream(seed).Uint64() + k).Uint64()
}

// run iterates until nothing changes or the quality rises by a share of at most tol, and at most `most` times unless that is 0.
func (s *search) run(g *graph, start []int32, most int, tol float64) (label []int32, iterations int, err error) {
	n := g.len()
	label = pages.Make[int32](n)
	for i := range label {
		if label[i] = int32(i); start != nil {
			label[i] = start[i]
		}
	}
	s.space = newSpace(n)
	var names []int32
	before := math.Inf(-1)
	for changed := true; changed && (most == 0 || iterations < most); iterations++ {
		if label, changed, err = s.iterate(g, label); err != nil {
			return nil, 0, err
		}
		if iterations == 0 && n >= reordered {
			if names, g, err = s.reorder(g, label); err != nil {
				return nil, 0, err
			}
			sorted := pages.Make[int32](n)
			for i, v := range names {
				sorted[i] = label[v]
			}
			label = sorted
		}
		if s.quality != nil && changed {
			now := s.quality(g, label)
			changed, before = !(now-before <= tol*math.Abs(now)), now
		}
	}
	if names == nil {
		return label, iterations, nil
	}
	found := pages.Make[int32](n)
	for i, v := range names {
		found[v] = label[i]
	}
	return found, iterations, nil
}

// iterate moves, refines and merges until no vertices are left to merge. It changes label.
func (s *search) iterate(g *graph, label []int32) (found []int32, changed bool, err error) {
	var of []int32 // the vertex of g that holds each vertex of the first graph; nil: itself
	for {
		moved, err := s.move(g, label)
		if err != nil {
			return nil, false, err
		}
		changed = changed || moved
		count := number(label)
		if count == g.len() {
			break
		}
		part, parts, err := s.refine(g, label, count)
		if err != nil {
			return nil, false, err
		}
		if parts == g.len() { // by rounding alone: see refine
			changed = true
			if part, parts = components(g, label); parts == g.len() {
				label = part
				break
			}
		}
		if of == nil {
			of = part
		} else {
			for i, v := range of {
				of[i] = part[v]
			}
		}
		coarse := pages.Make[int32](parts)
		for i, p := range part {
			coarse[p] = label[i]
		}
		if g, err = s.merge(g, part, parts); err != nil {
			return nil, false, err
		}
		label = coarse
	}
	if of == nil {
		return label, changed, nil
	}
	for i, v := range of {
		of[i] = label[v]
	}
	return of, changed, nil
}

// number renumbers labels by their first occurrence and returns their number.
func number(label []int32) int {
	to := make([]int32, len(label)) // one more than the number; 0: none yet
	var count int32
	for i, c := range label {
		if to[c] == 0 {
			count++
			to[c] = count
		}
		label[i] = to[c] - 1
	}
	return int(count)
}

// components divides communities into their connected components: the part of each vertex, numbered by its first, and the number of parts.
func components(g *graph, label []int32) ([]int32, int) {
	part, count := make([]int32, g.len()), int32(0) // one more than the number; 0: none yet
	var open []int32
	for i := range part {
		if part[i] != 0 {
			continue
		}
		count++
		part[i] = count
		for open = append(open[:0], int32(i)); len(open) > 0; {
			v := open[len(open)-1]
			open = open[:len(open)-1]
			cols, vals := g.row(v)
			for q, j := range cols {
				if part[j] == 0 && vals[q] > 0 && label[j] == label[v] {
					part[j] = count
					open = append(open, j)
				}
			}
		}
	}
	for i := range part {
		part[i]--
	}
	return part, int(count)
}
