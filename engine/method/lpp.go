package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// LPP is locality preserving projections (He and Niyogi 2003): [LE] with
// coordinates that are linear in the features, Y = XV. With the Laplacian L = D − W
// of the neighbour graph,
//
//	XᵀLX v = λ XᵀDX v,   smallest λ,   VᵀXᵀDXV = I.
//
// Directions in which XᵀDX is singular (below 1e-10 of its largest eigenvalue) are
// removed first. Samples are not centred: Y = XV for new samples too. O(N k m + N m²
// + m³), or O(n²m + n³) with n < m.
type LPP struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most the rank of the data"`
	Graph     string   `json:"graph" default:"union" allowed:"union|mutual|average" doc:"samples are joined if either lists the other, if both do, or by the mean of the two lists"`
	Weights   string   `json:"weights" default:"heat" allowed:"binary|heat|heat_norm|cosine" doc:"the weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative)"`
	T         *float64 `json:"t" default:"auto" allowed:"> 0" doc:"t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once"`
	Skip      int      `json:"skip" default:"0" allowed:"≥ 0" doc:"leading directions to drop"`
}

// Name returns "lpp".
func (LPP) Name() string { return "lpp" }

func (p LPP) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, Units: edgeUnits(p.Weights, "t")}
}

func (p LPP) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, p.Skip, m) }

func (p LPP) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Edges{Graph: p.Graph, Weights: p.Weights, T: p.T, Joined: true}.Rule(),
		Joint:     pipeline.JoinExtended(align.ProjectedSum(align.DegreeGram, p.Dim), solve.SmallestProjections(p.Dim, p.Skip), extend.Linear),
	}
}
