package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// NPP is neighbourhood preserving projections (He, Cai, Yan, Zhang 2005, under the
// name of neighbourhood preserving embedding): [LLE] with coordinates that are
// linear in the features, Y = XV. With M = (I − W)ᵀ(I − W) for the reconstruction
// weights W,
//
//	XᵀMX v = λ XᵀX v,   smallest λ,   VᵀXᵀXV = I,
//
// so that YᵀY = I. Directions in which XᵀX is singular (below 1e-10 of its largest
// eigenvalue) are removed first. Samples are not centred. O(N k²(m + k) + N m² +
// m³), or O(n²m + n³) with n < m.
type NPP struct {
	Neighbors int     `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int     `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most the rank of the data"`
	Gamma     float64 `json:"gamma" default:"auto" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a clear tangent plane"`
	Skip      int     `json:"skip" default:"0" allowed:"≥ 0" doc:"leading directions to drop"`
}

// Name returns "npp".
func (NPP) Name() string { return "npp" }

func (p NPP) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check}
}

func (p NPP) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, p.Skip, m) }

func (p NPP) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Reconstruction(patch.Regularized(p.Gamma, p.Dim)),
		Joint:     pipeline.JoinExtended(align.ProjectedSum(align.SampleGram, p.Dim), solve.SmallestProjections(p.Dim, p.Skip), extend.Linear),
	}
}
