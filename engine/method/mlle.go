package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// MLLE is modified locally linear embedding (Zhang and Wang 2006): [NEML] with
// mixing number λ = 0. scikit-learn's method="modified" differs in three
// points: its η averages the two middle values, its condition on sᵢ is strict,
// and its sᵢ may exceed k − d.
type MLLE struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample, at least d + 1"`
	Dim       int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Gamma     float64  `json:"gamma" default:"auto" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a clear tangent plane, and no more than the median gap of the local spectra"`
	Eta       *float64 `json:"eta" default:"auto" allowed:"≥ 0" doc:"η, the share of a neighbourhood's variance that its weight vectors may ignore; auto: the median over the samples"`
}

// Name returns "mlle".
func (MLLE) Name() string { return "mlle" }

func (p MLLE) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, sparse: true, Shared: true}
}

func (p MLLE) check(n, m int) error { return needMoreThanDim(p.Name(), p.Neighbors, p.Dim) }

func (p MLLE) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.MultipleWeights{Dim: p.Dim, By: patch.Regularized(p.Gamma, p.Dim), Eta: p.Eta, Lambda: new(float64)}.Rule(),
		Gamma:     p.Gamma,
		Joint:     pipeline.Join(align.SumToFactor, solve.BottomEigenvectors(p.Dim, soundGap)),
		Aim:       quality.Lengths,
	}
}
