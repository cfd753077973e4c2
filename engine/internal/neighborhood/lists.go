package neighborhood

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
)

// Lists collects the weighted neighbours of a block of samples, one after the other.
type Lists struct {
	ends         []int
	index        []int32
	dist, weight []float64 // dist may be empty: the weights are all that is known
	failed       int       // samples whose weights were not solved for to the end
	worst        float64   // by how much, at most
	examined     int       // candidates that the selection looked at, where it counts them
}

// Add lists a neighbour of the sample at hand by its weight alone.
func (l *Lists) Add(j int32, weight float64) {
	l.index, l.weight = append(l.index, j), append(l.weight, weight)
}

// Report counts what was not solved to the end.
func (l *Lists) Report(r solvers.LassoReport) {
	if !r.Converged {
		l.failed++
		l.worst = max(l.worst, r.Violation)
	}
}

// add lists a neighbour with its distance.
func (l *Lists) add(j int32, dist, weight float64) {
	l.Add(j, weight)
	l.dist = append(l.dist, dist)
}

// addLowest gives the whole weight to the candidate of the lowest index, where
// nothing else tells them apart.
func (l *Lists) addLowest(list []int32, distances []float64) {
	at := 0
	for a, j := range list {
		if j < list[at] {
			at = a
		}
	}
	l.add(list[at], distances[at], 1)
}

// gathering is one pass over all samples that lists weighted neighbours of each.
type gathering struct {
	phase string // of the progress
	rows  int    // samples that a worker takes at a time
}

// run calls a lister for every sample, in parallel, and gathers its lists as a graph.
// worker is called once for each worker. The report of all blocks is in the lists
// that come back, which have no entries.
func (c gathering) run(job *run.Run, n int, worker func() func(i int, out *Lists)) (*neighbors.Graph, Lists, error) {
	blocks := make([]Lists, (n+c.rows-1)/c.rows)
	workers := make([]func(int, *Lists), blas.Threads(job.Threads()))
	var done atomic.Int64
	progress := job.Counting(c.phase, run.Rows, n)
	err := blas.For(job.Context(), job.Threads(), n, c.rows, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = worker()
		}
		out := &blocks[lo/c.rows]
		for i := lo; i < hi; i++ {
			workers[w](i, out)
			out.ends = append(out.ends, len(out.index))
		}
		progress(float64(done.Add(int64(hi-lo))) / float64(n))
	})
	var about Lists
	if err != nil {
		return nil, about, err
	}
	total, distances := 0, 0
	for b := range blocks {
		total += len(blocks[b].index)
		distances += len(blocks[b].dist)
	}
	// Those of the blocks, which have grown by doubling, and all in one piece.
	held := 16*int64(n) + 3*(12*int64(total)+8*int64(distances))
	if err := job.Fit(held, fmt.Sprintf("the %d weights of %d samples need", total, n), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
		return nil, about, err
	}
	g := &neighbors.Graph{Ptr: make([]int, 1, n+1)}
	g.Index, g.Dist, g.Weight = slices.Grow(g.Index, total), slices.Grow(g.Dist, distances), slices.Grow(g.Weight, total)
	for b := range blocks {
		block, at := &blocks[b], len(g.Index)
		for _, end := range block.ends {
			g.Ptr = append(g.Ptr, at+end)
		}
		g.Index, g.Dist, g.Weight = append(g.Index, block.index...), append(g.Dist, block.dist...), append(g.Weight, block.weight...)
		about.failed, about.worst = about.failed+block.failed, max(about.worst, block.worst)
		about.examined += block.examined
	}
	return g, about, nil
}
