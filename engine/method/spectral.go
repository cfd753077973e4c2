package method

import (
	"github.com/orthant-go/orthant/engine/internal/cluster"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
)

// Spectral is spectral clustering (Ng, Jordan and Weiss 2001) of the neighbour
// graph: k-means on the rows of the leading eigenvectors of the normalised
// Laplacian, scaled to unit length. The graph and its weights are those of [LE]. It only clusters; LE
// embeds with the same graph. O(N k), an eigenproblem and k-means.
type Spectral struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Graph     string   `json:"graph" default:"union" allowed:"union|mutual|average" doc:"samples are joined if either lists the other, if both do, or by the mean of the two lists"`
	Weights   string   `json:"weights" default:"binary" allowed:"binary|heat|heat_norm|cosine" doc:"the weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative)"`
	T         *float64 `json:"t" default:"auto" allowed:"> 0" doc:"t of the heat kernel; auto: the mean squared (heat_norm: mean) distance to a neighbour"`
	Solver    string   `json:"solver" default:"auto" allowed:"auto|sketch" doc:"auto: eigenvectors to rounding, by a factorisation or a preconditioned search; sketch: approximate ones by tens of products with the graph, for huge graphs. Residuals are measured with both"`
}

// Name returns "spectral".
func (Spectral) Name() string { return "spectral" }

func (p Spectral) row() Row {
	return Row{GraphOnly: edgesOnly(p.Weights), Neighbors: &p.Neighbors, Cluster: p.grouping, Units: edgeUnits(p.Weights, "t"), sparse: true}
}

func (p Spectral) grouping(int) Grouping {
	edges := patch.Edges{Graph: p.Graph, Weights: p.Weights, T: p.T}
	return Grouping{Plan: cluster.Plan{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Edges:     edges.Rule(),
		Sketch:    p.Solver == "sketch",
		Extend:    extend.NystromCenters(p.Neighbors, edges),
		Within:    cluster.PursuitWithin(p.Neighbors),
	}, Embed: func(size, dim int) Method {
		return LE{Neighbors: min(p.Neighbors, size-1), Dim: dim, Graph: p.Graph, Weights: p.Weights, T: p.T, Solver: p.Solver}
	}}
}
