package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LE is Laplacian eigenmaps (Belkin and Niyogi 2003): neighbours stay close,
//
//	min Σ wᵢⱼ‖yᵢ − yⱼ‖²   under YᵀDY = I, 1ᵀDY = 0,
//
// solved from the normalised Laplacian, whose eigenvalues lie in [0, 2]. With
// graph=average and k neighbours it is scikit-learn's SpectralEmbedding with
// n_neighbors = k + 1. O(N k) and a sparse factorisation, or for Solver "sketch" some tens of products ([eigen.Sketch]).
type LE struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Graph     string   `json:"graph" default:"union" allowed:"union|mutual|average" doc:"samples are joined if either lists the other, if both do, or by the mean of the two lists"`
	Weights   string   `json:"weights" default:"binary" allowed:"binary|heat|heat_norm|cosine" doc:"the weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative)"`
	T         *float64 `json:"t" default:"auto" allowed:"> 0" doc:"t of the heat kernel; auto: the mean squared (heat_norm: mean) distance to a neighbour"`
	Solver    string   `json:"solver" default:"auto" allowed:"auto|sketch" doc:"auto: eigenpairs to rounding, by a factorisation or a preconditioned search; sketch: approximate ones by tens of products with the graph, for huge graphs. Residuals are measured with both"`
}

// Name returns "le".
func (LE) Name() string { return "le" }

func (p LE) row() Row {
	return Row{GraphOnly: edgesOnly(p.Weights), Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Units: edgeUnits(p.Weights, "t").normalized(), sparse: true, Shared: true}
}

func (p LE) steps() pipeline.Steps {
	edges := patch.Edges{Graph: p.Graph, Weights: p.Weights, T: p.T}
	joint := pipeline.JoinExtended(align.NormalizedSum, solve.BottomEigenvectors(p.Dim, 0), extend.Nystrom(p.Neighbors, edges))
	sketch := p.Solver == "sketch"
	if sketch {
		joint = joint.Sketched(pipeline.JoinExtended(align.Adjacent, solve.SketchedEigenvectors(p.Dim), extend.Nystrom(p.Neighbors, edges)))
	}
	return pipeline.Steps{Neighbors: neighborhood.Nearest(p.Neighbors), Patch: edges.Rule(), InPlace: true, Whole: sketch, Joint: joint}
}
