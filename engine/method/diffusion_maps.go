package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// DiffusionMaps places the samples by a random walk among them (Coifman and Lafon 2006).
// For the kernel kᵢⱼ = exp(−dᵢⱼ²/ε) between neighbours, with ones on the diagonal,
//
//	q = K1,   W = Q^−α K Q^−α,   P = D⁻¹W,   Pψ = λψ,   y = (λ₁ᵗψ₁, …, λ_dᵗψ_d),
//
// without the constant ψ₀, and with Σᵢ πᵢψᵢ² = 1 for the walk's stationary distribution π. The
// distances between the rows of y are those between the distributions of walks of t
// steps. α = 1 removes the influence of the sampling density, α = 0 keeps it. With n − 1 neighbours it
// is the method of the paper, whose kernel joins all samples. New samples get coordinates by Nyström's
// formula. Given affinities are the kernel K, with their diagonal. O(N k m) and an eigenproblem.
type DiffusionMaps struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Alpha     *float64 `json:"alpha" default:"1" allowed:"≥ 0" doc:"α, the power of the density by which the kernel is divided: 1 removes the influence of the density, 0.5 halves it (Fokker–Planck), 0 keeps it"`
	Time      *int     `json:"time" default:"1" allowed:"≥ 0" doc:"t, the steps of the random walk: each column is multiplied by its eigenvalue to this power; 0: not multiplied"`
	Epsilon   *float64 `json:"epsilon" default:"auto" allowed:"> 0" doc:"ε of the kernel exp(−d²/ε); auto: the mean squared distance to a neighbour"`
	Graph     string   `json:"graph" default:"union" allowed:"union|mutual|average" doc:"samples are joined if either lists the other, if both do, or by the mean of the two lists"`
}

// Name returns "diffusion-maps".
func (DiffusionMaps) Name() string { return "diffusion-maps" }

func (p DiffusionMaps) row() Row {
	return Row{GraphOnly: onlyGraph, kernel: true, Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Units: edgeUnits("heat", "epsilon"), sparse: true}
}

func (p DiffusionMaps) steps() pipeline.Steps {
	edges := patch.Edges{Graph: p.Graph, Weights: "heat", T: p.Epsilon, Width: "epsilon"}
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     edges.Rule(),
		InPlace:   true,
		Joint:     pipeline.JoinExtended(align.DiffusionOperator(*p.Alpha), solve.DiffusionCoordinates(p.Dim, *p.Time), extend.Diffusion(p.Neighbors, edges)),
	}
}
