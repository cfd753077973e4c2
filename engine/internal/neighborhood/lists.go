package neighborhood

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/lasso"
)

// Lists collects the weighted neighbours of a block of samples, one sample after the other.
type Lists struct {
	ends         []int
	index        []int32
	dist, weight []float64 // dist may be empty: only the weights are known
	failed       int       // samples whose weights were not solved to the tolerance
	worst        float64   // largest violation among them
	examined     int       // candidates examined by the selection, if it counts them
}

// Add adds a neighbour of the current sample, with a weight but no distance.
func (l *Lists) Add(j int32, weight float64) {
	l.index, l.weight = append(l.index, j), append(l.weight, weight)
}

// Report counts a solve that did not converge.
func (l *Lists) Report(r lasso.LassoReport) {
	if !r.Converged {
		l.failed++
		l.worst = max(l.worst, r.Violation)
	}
}

// add adds a neighbour with its distance.
func (l *Lists) add(j int32, dist, weight float64) {
	l.Add(j, weight)
	l.dist = append(l.dist, dist)
}

// addLowest gives the whole weight to the candidate with the lowest index, if nothing
// else distinguishes the candidates.
func (l *Lists) addLowest(list []int32, distances []float64) {
	at := 0
	for a, j := range list {
		if j < list[at] {
			at = a
		}
	}
	l.add(list[at], distances[at], 1)
}

// gathering is a pass over all samples that lists weighted neighbours of each.
type gathering struct {
	phase string // for the progress
	rows  int    // samples that a worker processes at a time
}

// run calls a lister for every sample, in parallel, and combines the lists into a graph.
// worker is called once for each worker. The returned Lists have the report of all blocks and
// no entries.
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
	// The lists of the blocks, with doubled capacity, and the combined lists.
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

// codeRows is the number of samples that a worker codes at a time: each takes
// long, and their times differ.
const codeRows = 16

// Codes runs a coder over all n samples, in parallel, and combines the results into a
// graph with weights and without distances. worker is called once for each worker.
func Codes(job *run.Run, n int, worker func() func(i int, out *Lists)) (*neighbors.Graph, error) {
	defer job.Phase("codes")()
	g, about, err := gathering{phase: "codes", rows: codeRows}.run(job, n, worker)
	if err != nil {
		return nil, err
	}
	job.Note("unconverged_codes", about.failed)
	switch {
	case about.failed > 0 && math.IsInf(about.worst, 1):
		job.Warn("the sparse codes of %d samples are not exact: rounding is beyond all measure of the ℓ1 weight; choose a larger one, or lower the other weights", about.failed)
	case about.failed > 0:
		job.Warn("the sparse codes of %d samples are not exact: optimality is missed by up to %.1e of the ℓ1 weight", about.failed, about.worst)
	}
	job.Explain("codes: %d samples with %.1f neighbours on average", n, float64(len(g.Index))/float64(n))
	return g, nil
}

// representRows is the number of samples that a worker represents at a time.
const representRows = 128

// represent makes the graph of the weighted lists that a rule selects, sample by sample,
// from the candidates. worker is called once for each worker; about is the report.
func represent(job *run.Run, candidates *neighbors.Graph, worker func() func(i int, out *Lists)) (g *neighbors.Graph, about Lists, err error) {
	// The candidates, lists of up to the same size, and the combined lists.
	bytes := 2*candidates.Bytes() + 100*int64(candidates.Len())
	if err := job.Fit(bytes, fmt.Sprintf("the choice among %d neighbours of %d samples needs", candidates.MaxDegree(), candidates.Len()), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
		return nil, about, err
	}
	return gathering{phase: "neighbors", rows: representRows}.run(job, candidates.Len(), worker)
}

// Profile is the information about the data in a representation.
type Profile struct {
	Rho           []float64 // mean of the sorted weights, followed by one 0
	Gap, Support  int       // dimension by either rule
	ClosedClasses int       // of the lists, see [ClosedClasses]
	Examined      int       // candidates examined, if the rule counts them
}

// profileOf estimates the dimensions from the lists of a representation.
func profileOf(g *neighbors.Graph) Profile {
	lists := weightLists(g)
	rho := measures.WeightProfile(lists)
	return Profile{Rho: rho, Gap: measures.GapDimension(rho), Support: measures.SupportDimension(lists)}
}

// weightLists returns the weights of a graph as one list for each sample, without a copy.
func weightLists(g *neighbors.Graph) [][]float64 {
	lists := make([][]float64, g.Len())
	for i := range lists {
		lists[i] = g.Weights(i)
	}
	return lists
}

// represented returns the neighbourhoods of a representation and adds its profile to the details
// of the run. The closed classes are those of g, and the dimensions those of the lists from which
// g was made.
func represented(job *run.Run, g *neighbors.Graph, about Profile) Found {
	about.ClosedClasses = ClosedClasses(g)
	job.Note("rho", about.Rho)
	job.Note("gap_dimension", about.Gap)
	job.Note("support_dimension", about.Support)
	job.Note("closed_classes", about.ClosedClasses)
	return Found{Graph: g, Profile: &about}
}
