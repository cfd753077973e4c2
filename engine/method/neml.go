package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// NEML is nonlinear embedding preserving multiple local-linearities (Wang and
// Zhang 2010, eqs 4.1–4.7). LLE keeps one weight vector for each sample, of many
// that are nearly as good. NEML keeps sᵢ ≈ k − d independent ones, the columns of
//
//	Wᵢ = (1−αᵢ)²·w·1ᵀ + (2−αᵢ)·V₀H,
//
// so that the result hardly depends on γ. About half of the samples get k − d
// vectors, the others fewer, according to their local spectrum and η. Needs
// k ≥ d + 1. It solves one more small eigenproblem for each sample than LLE.
type NEML struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample, at least d + 1"`
	Dim       int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Gamma     float64  `json:"gamma" default:"auto" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a clear tangent plane, and no more than the median gap of the local spectra"`
	Eta       *float64 `json:"eta" default:"auto" allowed:"≥ 0" doc:"η, the share of a neighbourhood's variance that its weight vectors may ignore; auto: the median over the samples"`
	Lambda    *float64 `json:"mixing" former:"lambda" default:"alpha" doc:"how the weight vectors are mixed: alpha (NEML), 0 (modified LLE), 1 (orthogonal columns)"`
}

// Name returns "neml".
func (NEML) Name() string { return "neml" }

func (p NEML) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, sparse: true, Shared: true}
}

func (p NEML) check(n, m int) error { return needMoreThanDim(p.Name(), p.Neighbors, p.Dim) }

func (p NEML) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.MultipleWeights{Dim: p.Dim, By: patch.Regularized(p.Gamma, p.Dim), Eta: p.Eta, Lambda: p.Lambda}.Rule(),
		Gamma:     p.Gamma,
		Joint:     pipeline.Join(align.SumToFactor, solve.BottomEigenvectors(p.Dim, soundGap)),
		Aim:       quality.Lengths,
	}
}
