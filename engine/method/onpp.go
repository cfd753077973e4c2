package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// ONPP is orthogonal neighbourhood preserving projections (Kokiopoulou and Saad
// 2007): [NPP] with orthonormal directions,
//
//	XᵀMX v = λ v,   smallest λ,   VᵀV = I.
//
// Directions in which the centred samples have no extent (below 1e-10 of the
// largest eigenvalue) are removed first, because they would have eigenvalue 0. All data with at least as
// many columns as samples have such directions. Samples are not
// centred. Costs are those of [NPP].
type ONPP struct {
	Neighbors int     `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int     `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most the rank of the centred data"`
	Gamma     float64 `json:"gamma" default:"auto" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a clear tangent plane"`
	Skip      int     `json:"skip" default:"0" allowed:"≥ 0" doc:"leading directions to drop"`
}

// Name returns "onpp".
func (ONPP) Name() string { return "onpp" }

func (p ONPP) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, Units: Units{}.projected()}
}

func (p ONPP) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, p.Skip, m) }

func (p ONPP) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Reconstruction(patch.Regularized(p.Gamma, p.Dim)),
		Joint:     pipeline.JoinExtended(align.ProjectedSum(align.UnitInRange, p.Dim), solve.SmallestProjections(p.Dim, p.Skip), extend.Linear),
	}
}
