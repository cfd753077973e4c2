package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LNP is local non-negative pursuit (Chen, Lv and Yi 2014): each sample is
// represented as a convex combination of a few of its K nearest neighbours, chosen one
// by one so that its projection lies within them, and the embedding keeps these
// weights as LLE keeps its own. The result hardly depends on K on curves; on
// sheets NEML and LTSA are better. As a clustering method, the weights are the graph.
//
// The published algorithm may use more than d + 1 neighbours and, for large K,
// links distant parts of the data by tiny weights; Cap is our remedy. The estimated
// dimensions, the profile ρ from which they are derived, the closed classes of samples, and the
// number of candidates that the selection examined ("examined", without the cap) are in
// Result.Details. O(N k K m) for k selected neighbours. If the graph of the chosen neighbours has several
// components, by default every component is embedded separately, and all are placed along the shortest
// edges between them.
type LNP struct {
	Neighbors  int  `json:"neighbors" default:"12" allowed:"≥ 1" doc:"K, the number of nearest neighbours among which a sample chooses its own"`
	Dim        int  `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Cap        *int `json:"cap" default:"auto" zero:"none" allowed:"≥ 0" doc:"the most neighbours that a sample chooses; auto: the estimated dimension plus one; none: any number, as in the paper"`
	Coincident bool `json:"coincident" default:"false" doc:"samples at the same place may be each other's neighbours; then they have no others"`
}

// Name returns "lnp".
func (LNP) Name() string { return "lnp" }

func (p LNP) row() Row {
	return Row{ // perComponent: weights are convex, so a component that hangs on others by one edge costs nothing if it collapses
		sparse: true,
		Dim:    p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Cluster: p.grouping, Degree: p.degree,
		PerComponent: true, ExtendComponents: extend.Pursuit(p.Neighbors),
	}
}

func (p LNP) rule() neighborhood.Pursuit {
	return neighborhood.Pursuit{Nearest: neighborhood.Nearest(p.Neighbors), Cap: p.Cap, Coincident: p.Coincident}
}

func (p LNP) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: p.rule(),
		Patch:     patch.GivenWeights(p.Dim),
		Joint:     pipeline.JoinExtended(align.SumToFactor, solve.BottomEigenvectors(p.Dim, 0), extend.Pursuit(p.Neighbors)),
	}
}

// degree returns the typical number of neighbours: lists rarely exceed the dimension of the space plus
// one, or a dozen.
func (LNP) degree(m int) int { return min(m+1, 12) }

func (p LNP) grouping(int) Grouping {
	inside := func(size, dim int) LNP {
		return LNP{Neighbors: min(p.Neighbors, size-1), Dim: dim, Cap: p.Cap, Coincident: p.Coincident}
	}
	return Grouping{Plan: cluster.Plan{
		Neighbors: p.rule(),
		Edges:     patch.GivenEdges(),
		Extend:    extend.ByCode(extend.Pursuit(p.Neighbors)),
		Within:    func(size int) neighborhood.Rule { return inside(size, 1).rule() },
		Weighted:  true,
	}, Embed: func(size, dim int) Method { return inside(size, dim) }}
}
