package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LTSA is local tangent space alignment (Zhang and Zha 2004): each
// neighbourhood's d principal coordinates are aligned by affine maps. It is
// exact on flat data. A neighbourhood is the k nearest and the sample itself;
// ExcludeSelf leaves the sample out, as scikit-learn does. Needs k ≥ d + 1.
// O(N k²m) and a sparse factorisation.
type LTSA struct {
	Neighbors   int  `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample, at least d + 1"`
	Dim         int  `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding"`
	ExcludeSelf bool `json:"exclude_self" default:"false" doc:"leave the sample itself out of its neighbourhood, as scikit-learn does"`
}

// Name returns "ltsa".
func (LTSA) Name() string { return "ltsa" }

func (p LTSA) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, sparse: true, Shared: true}
}

func (p LTSA) check(n, m int) error { return needMoreThanDim(p.Name(), p.Neighbors, p.Dim) }

func (p LTSA) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Tangent(p.Dim, p.ExcludeSelf),
		Joint:     pipeline.Join(align.SumToFactor, solve.BottomEigenvectors(p.Dim, soundGap)),
		Aim:       quality.Lengths,
	}
}
