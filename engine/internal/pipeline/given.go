package pipeline

import (
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Given replaces steps of a method: a graph, affinities or distances that the caller gives in place of
// samples or of a search among them, targets, or a radius of neighbourhoods. The zero value replaces nothing.
type Given struct {
	Graph     *neighbors.Graph // in the unit of the samples
	Affine    bool             // the weights of the graph are affinities
	Diagonal  []float64        // of these, for a method whose kernel they are; nil: it does not count
	Distances samples.Samples  // n × n
	Weights   *neighbors.Graph // weights of pairs of samples, for a method of all pairs
	Targets   samples.Samples  // one row for each sample

	Within neighborhood.Within // in place of a number of neighbours, in the unit of the samples; radius 0: none
}

// Present reports whether the caller gave a structure, with or without samples.
func (g Given) Present() bool { return g.Graph != nil || g.Distances.N() > 0 }

// Search returns the search of a method among n samples, or its replacement.
func (g Given) Search(rule neighborhood.Rule, n int) neighborhood.Rule {
	if r, is := rule.(neighborhood.Reachable); is {
		r.Distances, r.Graph = g.Distances, g.Graph
		return r
	}
	if k, searches := neighborhood.Plain(rule, n); searches && g.Distances.N() > 0 {
		return neighborhood.Measured{Distances: g.Distances, K: k}
	} else if searches && g.Within.Radius > 0 {
		return g.Within
	}
	if g.Graph == nil || rule == nil {
		return rule
	}
	return neighborhood.Given{Graph: g.Graph, Affine: g.Affine, Diagonal: g.Diagonal}
}

// Edges returns the patch rule of a method, or that of given affinities.
func (g Given) Edges(rule patch.Rule) patch.Rule {
	if !g.Affine {
		return rule
	}
	return patch.Affinities()
}
