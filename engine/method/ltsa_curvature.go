package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LTSACurvature is local tangent space alignment that weights the samples of a
// neighbourhood by how far they may lie off its tangent space (after
// Zhang, Wang and Zha 2012, adaptive manifold learning): the error of sample j
// in patch i is divided by
//
//	φⱼ = δ + ½ρᵢ‖θⱼ‖²/h
//
// with its local coordinates θⱼ, the curvature ρᵢ estimated from the angles to
// the neighbours' tangent spaces, and h the root mean square of ‖θⱼ‖. The paper
// leaves the scale of δ open; here it is independent of units. Needs k ≥ d + 1.
// O(N k m(k + d²)) and a sparse factorisation; 8Nmd bytes for the tangent bases.
type LTSACurvature struct {
	Neighbors   int     `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample, at least d + 1"`
	Dim         int     `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	Delta       float64 `json:"delta" default:"0.01" allowed:"> 0" doc:"δ, the error that is expected of a sample without curvature; large values give plain LTSA"`
	ExcludeSelf bool    `json:"exclude_self" default:"false" doc:"leave the sample itself out of its neighbourhood"`
}

// Name returns "ltsa-curvature".
func (LTSACurvature) Name() string { return "ltsa-curvature" }

func (p LTSACurvature) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, Memory: p.memory}
}

func (p LTSACurvature) check(n, m int) error { return needMoreThanDim(p.Name(), p.Neighbors, p.Dim) }

func (p LTSACurvature) memory(n, m int64, _, _ int) int64 {
	return 8 * n * m * min(int64(p.Dim), m)
}

func (p LTSACurvature) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Curved(p.Dim, p.ExcludeSelf, p.Delta),
		Joint:     pipeline.Join(align.SumToFactor, solve.BottomEigenvectors(p.Dim, soundGap)),
		Aim:       quality.Lengths,
	}
}
