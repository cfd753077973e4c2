package engine

import (
	"github.com/orthant-go/orthant/engine/neighbors"
)

// withinClasses lists for every sample its k nearest of the same class, all the
// others where the class has no more; a sample that is a class of its own has none.
func withinClasses(p *problem, k int) (*neighbors.Graph, error) {
	return p.byClasses(k, func(members, _ []int) (*neighbors.Graph, []int, error) {
		if len(members) == 1 {
			return &neighbors.Graph{Ptr: []int{0, 0}}, members, nil
		}
		g, err := neighbors.Exact(p.ctx, p.rows(members), min(k, len(members)-1), neighbors.Options{Kernels: p.kernels, Threads: p.options.Threads})
		return g, members, err
	})
}

// betweenClasses lists for every sample its k nearest of other classes.
func betweenClasses(p *problem, k int) (*neighbors.Graph, error) {
	return p.byClasses(k, func(members, others []int) (*neighbors.Graph, []int, error) {
		g, err := neighbors.Search(p.ctx, p.rows(others), p.rows(members), min(k, len(others)), neighbors.Options{Kernels: p.kernels, Threads: p.options.Threads})
		return g, others, err
	})
}

// byClasses puts together the graph of all samples from those of the classes. find
// returns lists for the members of a class, and what their indices count in.
func (p *problem) byClasses(k int, find func(members, others []int) (*neighbors.Graph, []int, error)) (*neighbors.Graph, error) {
	of, sizes := classes(p.labels)
	type place struct {
		part *neighbors.Graph
		base []int
		at   int
	}
	places := make([]place, p.x.N)
	for c, size := range sizes {
		members, others := make([]int, 0, size), make([]int, 0, p.x.N-size)
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
	g := &neighbors.Graph{Ptr: make([]int, 1, p.x.N+1), Index: make([]int32, 0, p.x.N*k), Dist: make([]float64, 0, p.x.N*k)}
	for _, s := range places {
		for _, j := range s.part.Of(s.at) {
			g.Index = append(g.Index, int32(s.base[j]))
		}
		g.Dist = append(g.Dist, s.part.Distances(s.at)...)
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g, nil
}

// rows copies some of the samples.
func (p *problem) rows(members []int) neighbors.Points {
	part := neighbors.Points{N: len(members), M: p.x.M, Data: make([]float64, 0, len(members)*p.x.M)}
	for _, i := range members {
		part.Data = append(part.Data, p.x.Row(i)...)
	}
	return part
}
