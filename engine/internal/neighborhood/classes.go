package neighborhood

import (
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// WithinClasses lists for every sample its k nearest of the same class, or all of
// them if the class has no more. The only sample of a class has an empty list.
func WithinClasses(job *run.Run, x samples.Samples, k int) (*neighbors.Graph, error) {
	if err := roomForClasses(job, x, k); err != nil {
		return nil, err
	}
	return byClasses(x, k, func(members, _ []int) (*neighbors.Graph, []int, error) {
		if len(members) == 1 {
			return &neighbors.Graph{Ptr: []int{0, 0}}, members, nil
		}
		class, o := x.Subset(members), neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads()}
		if a := class.Compressed(); a != nil {
			g, err := neighbors.ExactSparse(job.Context(), a, min(k, len(members)-1), o)
			return g, members, err
		}
		g, err := neighbors.Exact(job.Context(), class.Points(), min(k, len(members)-1), o)
		return g, members, err
	})
}

// BetweenClasses lists for every sample its k nearest of other classes.
func BetweenClasses(job *run.Run, x samples.Samples, k int) (*neighbors.Graph, error) {
	if err := roomForClasses(job, x, k); err != nil {
		return nil, err
	}
	return byClasses(x, k, func(members, others []int) (*neighbors.Graph, []int, error) {
		g, err := samples.Search(job.Context(), x.Subset(others), x.Subset(members), min(k, len(others)), neighbors.Euclidean, neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads()})
		return g, others, err
	})
}

// roomForClasses returns an error if searches within a class and among the others, which copy the
// samples, exceed the memory limit.
func roomForClasses(job *run.Run, x samples.Samples, k int) error {
	n, m := x.N(), x.M()
	// One class at a time, and garbage of the class before that was not yet collected.
	search := x.Bytes()
	if a := x.Compressed(); a != nil {
		search += neighbors.ExactSparseBytes(a, k, job.Threads())
	} else {
		search += neighbors.ExactBytes(n, m, k, job.Threads())
	}
	return room(job, x, k, 3*search/2+neighbors.GraphBytes(n, k))
}

// byClasses combines the graphs of the classes to the graph of all samples. find
// returns lists for the members of a class, and the samples that their indices refer to.
func byClasses(x samples.Samples, k int, find func(members, others []int) (*neighbors.Graph, []int, error)) (*neighbors.Graph, error) {
	of, sizes := x.Classes()
	type place struct {
		part *neighbors.Graph
		base []int
		at   int
	}
	places := make([]place, x.N())
	for c, size := range sizes {
		members, others := make([]int, 0, size), make([]int, 0, x.N()-size)
		for i, own := range of {
			if own == c {
				members = append(members, i)
			} else {
				others = append(others, i)
			}
		}
		part, base, err := find(members, others)
		if err != nil {
			return nil, err
		}
		for at, i := range members {
			places[i] = place{part, base, at}
		}
	}
	g := &neighbors.Graph{Ptr: make([]int, 1, x.N()+1), Index: make([]int32, 0, x.N()*k), Dist: make([]float64, 0, x.N()*k)}
	for _, s := range places {
		for _, j := range s.part.Of(s.at) {
			g.Index = append(g.Index, int32(s.base[j]))
		}
		g.Dist = append(g.Dist, s.part.Distances(s.at)...)
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g, nil
}
