package neighborhood

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/density"
)

// Reachable is the neighbourhood of density clusterings: a minimum spanning tree of mutual reachability distances, of all samples or of
// a given structure.
type Reachable struct {
	MinSamples int // for core distances, the sample itself included

	Distances samples.Samples  // given in place of those of the samples; empty: none
	Graph     *neighbors.Graph // the only pairs; nil: all
}

// Find returns the tree; the edges of a given graph may form a forest.
func (r Reachable) Find(job *run.Run, x samples.Samples) (Found, error) {
	var tree *neighbors.Spanning
	var err error
	o := neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads(), Progress: job.Counting("neighbors", run.Rows, x.N())}
	metric := job.Metric()
	switch n := r.Distances.N(); {
	case r.Graph != nil:
		tree, err = r.ofGraph(job)
	case n > 0:
		if err = r.room(job, n, neighbors.GraphBytes(n, r.MinSamples)+64*int64(n)); err == nil {
			job.Explain("density: the mutual reachability of %d samples by the given distances", n)
			tree, err = neighbors.SpanningTreeOfDistances(job.Context(), r.Distances.Points(), r.MinSamples, o)
		}
	default:
		bytes := x.InUnitOfBytes(metric)
		if a := x.Compressed(); a != nil {
			bytes += neighbors.MetricSparseBytes(a, max(r.MinSamples-1, 1), job.Threads(), metric) + 80*int64(x.N())
		} else {
			bytes += neighbors.SpanningBytes(x.N(), x.M(), r.MinSamples, metric, o)
		}
		if err = r.room(job, x.N(), bytes); err != nil {
			break
		}
		job.Explain("density: a minimum spanning tree of mutual reachability, with core distances to the nearest %d samples, each sample itself included", r.MinSamples)
		if tree, err = neighbors.SpanningTree(job.Context(), x.InUnitOf(metric).Matrix(), r.MinSamples, metric, o); err == nil && !metric.InUnit() {
			magnitude.Scale(-x.Exponent(), tree.Weight)
			magnitude.Scale(-x.Exponent(), tree.Core)
		}
	}
	if err != nil {
		return Found{}, err
	}
	return Found{Tree: tree}, nil
}

func (r Reachable) room(job *run.Run, n int, bytes int64) error {
	return job.Fit(bytes, fmt.Sprintf("the spanning tree of %d samples needs", n), "take fewer samples, a smaller ‹min_samples›, or raise the limit")
}

// Widen returns an error: a tree has no lists.
func (Reachable) Widen(job *run.Run, _ samples.Samples, _ int) (func(k int) (*neighbors.Graph, error), error) {
	return nil, fmt.Errorf("%s: it has no lists of neighbours", job.Method())
}

// ofGraph takes the pairs of a graph, of which either sample may list the other. A sample with too few neighbours has an infinite core distance,
// and nothing joins it.
func (r Reachable) ofGraph(job *run.Run) (*neighbors.Spanning, error) {
	g, n := r.Graph, r.Graph.Len()
	if err := r.room(job, n, 40*int64(len(g.Index))+64*int64(n)); err != nil {
		return nil, err
	}
	type pair struct {
		a, b int32
		d    float64
	}
	pairs := make([]pair, 0, len(g.Index))
	for i := range n {
		for q, j := range g.Of(i) {
			pairs = append(pairs, pair{min(int32(i), j), max(int32(i), j), g.Distances(i)[q]})
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b), cmp.Compare(p.d, q.d))
	})
	pairs = slices.CompactFunc(pairs, func(p, q pair) bool { return p.a == q.a && p.b == q.b }) // the shorter of two
	begin := make([]int, n+1)
	for _, p := range pairs {
		begin[p.a+1]++
		begin[p.b+1]++
	}
	for i := range n {
		begin[i+1] += begin[i]
	}
	lengths, at := make([]float64, 2*len(pairs)), slices.Clone(begin)
	for _, p := range pairs {
		for _, i := range []int32{p.a, p.b} {
			lengths[at[i]] = p.d
			at[i]++
		}
	}
	tree, few := &neighbors.Spanning{Core: make([]float64, n)}, 0
	for i := range n {
		list := lengths[begin[i]:begin[i+1]]
		slices.Sort(list)
		switch k := r.MinSamples - 1; {
		case k > len(list):
			tree.Core[i] = math.Inf(1)
			few++
		case k > 0:
			tree.Core[i] = list[k-1]
		}
	}
	if few > 0 {
		job.Warn("noise, for lack of neighbours in the graph (fewer than %d): %s; give more neighbours, or a smaller min_samples", r.MinSamples-1, counted(few))
	}
	edges := density.Edges{}
	for _, p := range pairs {
		if w := density.MutualReachability(tree.Core[p.a], tree.Core[p.b], p.d); !math.IsInf(w, 1) {
			edges.From, edges.To, edges.Weight = append(edges.From, p.a), append(edges.To, p.b), append(edges.Weight, w)
		}
	}
	forest, err := density.Forest(job.Context(), n, edges)
	tree.From, tree.To, tree.Weight = forest.From, forest.To, forest.Weight
	return tree, err
}

func counted(samples int) string {
	if samples == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", samples)
}
