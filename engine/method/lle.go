package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LLE is locally linear embedding (Roweis and Saul 2000): each sample is
// represented as a weighted mean of its k nearest neighbours, and the embedding
// keeps the weights,
//
//	min Σᵢ ‖yᵢ − Σⱼ wᵢⱼ yⱼ‖²   under YᵀY = I, 1ᵀY = 0.
//
// The weights are always regularised by γ times the trace of the local Gram matrix
// (like scikit-learn's reg). For k > d + 1 they are far from unique; NEML is the remedy. O(N k²(m
// + k)) and a sparse factorisation.
type LLE struct {
	Neighbors int     `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int     `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Gamma     float64 `json:"gamma" default:"auto" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a clear tangent plane"`
}

// Name returns "lle".
func (LLE) Name() string { return "lle" }

func (p LLE) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, sparse: true, Shared: true}
}

func (p LLE) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Reconstruction(patch.Regularized(p.Gamma, p.Dim)),
		Gamma:     p.Gamma,
		Joint:     pipeline.Join(align.SumToFactor, solve.BottomEigenvectors(p.Dim, 0)),
		Aim:       quality.Lengths,
	}
}
