package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// nearest is the neighbourhood of the k nearest samples by Euclidean distance,
// the sample itself left out.
type nearest int

func (k nearest) find(p *problem) (*neighbors.Graph, error) {
	if p.sparse != nil {
		if p.options.Neighbors == "approximate" {
			p.warn("the neighbours of sparse samples are found exactly: neighbors-method does nothing")
		}
		return neighbors.ExactSparse(p.ctx, p.sparse, int(k), neighbors.Options{
			Kernels: p.kernels, Threads: p.options.Threads, Progress: p.fraction("neighbors"),
		})
	}
	if p.options.Neighbors != "approximate" {
		return k.graph(p, int(k))
	}
	g, r, err := neighbors.Approximate(p.ctx, p.x, int(k), neighbors.ApproximateOptions{
		Kernels: p.kernels, Threads: p.options.Threads, Progress: p.fraction("neighbors"),
		Seed: p.options.Seed, Recall: p.options.Recall,
	})
	if err != nil {
		return nil, err
	}
	p.details["recall"] = r.Recall
	p.explain("%s", describe(r, p.options.Recall))
	return g, nil
}

// describe says in a line how an approximate search went.
func describe(r neighbors.Report, target float64) string {
	switch {
	case !r.Exact:
		return fmt.Sprintf("neighbours: approximate, recall %.4f measured on %d samples (%d trees, %d iterations)", r.Recall, r.Rows, r.Trees, r.Iterations)
	case r.Trees == 0:
		return "neighbours: exact, which is as fast for these sizes"
	default:
		return fmt.Sprintf("neighbours: exact, because approximate search reached only recall %.4f of %g on %d samples (%d trees, %d iterations)", r.Reached, target, r.Rows, r.Trees, r.Iterations)
	}
}

func (r nearest) widen(p *problem, k int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := r.graph(p, k)
	return func(k int) (*neighbors.Graph, error) { return wide.Truncated(k), nil }, err
}

// graph is the exact graph of k neighbours.
func (nearest) graph(p *problem, k int) (*neighbors.Graph, error) {
	return neighbors.Exact(p.ctx, p.x, k, neighbors.Options{
		Kernels: p.kernels, Threads: p.options.Threads, Progress: p.fraction("neighbors"),
	})
}

// withSelf lists for every sample its neighbours and then itself: the set Iᵢ of
// the patches.
func withSelf(g *neighbors.Graph) (ptr []int, index []int32) {
	n := g.Len()
	ptr, index = make([]int, n+1), make([]int32, 0, len(g.Index)+n)
	for i := range n {
		index = append(append(index, g.Of(i)...), int32(i))
		ptr[i+1] = len(index)
	}
	return ptr, index
}
