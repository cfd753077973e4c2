package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// OLPPCai is the orthogonal locality preserving projections of Cai, He, Han and
// Zhang (2006, "Orthogonal Laplacianfaces"): the first direction is that of [LPP],
// and each further one minimises the same quotient
//
//	aᵀXᵀLXa / aᵀXᵀDXa   under ‖a‖ = 1, a orthogonal to those before it.
//
// The reported eigenvalues are these quotients, in ascending order. As in [LPP], directions in which
// XᵀDX is singular are removed first and samples are not centred. Each
// direction costs an eigenproblem of the order of the features.
type OLPPCai struct {
	Neighbors int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim       int      `json:"dim" default:"2" allowed:"≥ 1" doc:"d, the columns of the embedding, at most the rank of the data"`
	Graph     string   `json:"graph" default:"union" allowed:"union|mutual|average" doc:"samples are joined if either lists the other, if both do, or by the mean of the two lists"`
	Weights   string   `json:"weights" default:"heat" allowed:"binary|heat|heat_norm|cosine" doc:"the weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative)"`
	T         *float64 `json:"t" default:"auto" allowed:"> 0" doc:"t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once"`
	Skip      int      `json:"skip" default:"0" allowed:"≥ 0" doc:"leading directions to drop; the others stay orthogonal to them"`
}

// Name returns "olpp-cai".
func (OLPPCai) Name() string { return "olpp-cai" }

func (p OLPPCai) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, Units: edgeUnits(p.Weights, "t").quotients()}
}

func (p OLPPCai) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, p.Skip, m) }

func (p OLPPCai) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Edges{Graph: p.Graph, Weights: p.Weights, T: p.T, Joined: true}.Rule(),
		Joint:     pipeline.JoinExtended(align.ProjectedSum(align.DegreeGram, p.Dim), solve.SuccessiveProjections(p.Dim, p.Skip), extend.Linear),
	}
}
