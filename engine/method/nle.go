package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// NLE is nonnegative Laplacian embedding (Zafeiriou and Laskaris 2010, eq. 9): the
// graph of [LE] with nonnegative coordinates,
//
//	min tr(UᵀLU)   under U ≥ 0, UᵀU = I,   L = I − D^−½WD^−½, Y = D^−½U,
//
// by descent with a penalty on overlap, or by a multiplicative rule as the
// maximum of tr(Uᵀ(σI − L)U). With σ = 1 that matrix is nonnegative, and the rule
// is that of nonnegative spectral clustering. New samples get
// coordinates by barycentric weights. O(N k) for each iteration.
type NLE struct {
	Neighbors  int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"P, the columns of the embedding"`
	Graph      string   `json:"graph" default:"union" allowed:"union|mutual|average" doc:"samples are joined if either lists the other, if both do, or by the mean of the two lists"`
	Weights    string   `json:"weights" default:"adaptive" allowed:"adaptive|binary|heat|heat_norm|cosine" doc:"the weight of an edge: a Gaussian whose width is the mean, over both ends, of the distance to the k-th neighbour; or 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative)"`
	T          *float64 `json:"t" default:"auto" allowed:"> 0" doc:"t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once"`
	Update     string   `json:"update" default:"gradient" allowed:"gradient|paper|penalty" deprecated:"printed" doc:"the rule. gradient: projected gradients of an objective with a penalty on overlap; the others are multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective (penalty)"`
	Sigma      *float64 `json:"sigma" default:"auto" allowed:"≥ 0" doc:"σ of σI − L of a multiplicative rule; auto: 1"`
	Alpha      *float64 `json:"overlap_penalty" former:"alpha" default:"auto" allowed:"> 0" doc:"weight of the penalty; auto: with update=gradient 1/128 of the norm of L, doubled while ‖UᵀU − I‖ > √P/64, to at most 64 norms; with update=penalty the norm of the matrix C times 1, 2, 4, … 64, each for a seventh of the iterations"`
	Init       string   `json:"init" default:"random" allowed:"random|spectral" doc:"the start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts of the leading eigenvectors"`
	Iterations int      `json:"iterations" default:"auto" allowed:"≥ 1" doc:"the most iterations; auto: 20000 for update=gradient, else 500"`
	Tolerance  *float64 `json:"tolerance" default:"auto" allowed:"≥ 0" doc:"update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by less, relative to it (auto: 1e-06); 0: never"`
	Normalize  bool     `json:"normalise" default:"false" deprecated:"all" doc:"with update=printed: scale columns to unit length after every step"`
	Round      bool     `json:"round" default:"false" doc:"make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns"`
}

// Name returns "nle".
func (NLE) Name() string { return "nle" }

func (p NLE) row() Row {
	return Row{GraphOnly: edgesOnly(p.Weights), Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Units: edgeUnits(p.Weights, "t").normalized(), sparse: true}
}

func (p NLE) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Edges{Graph: p.Graph, Weights: p.Weights, T: p.T, Joined: true}.Rule(),
		Joint:     pipeline.Join(align.NormalizedSum, solve.Multiplicative{Dim: p.Dim, Update: p.Update, Sigma: p.Sigma, Alpha: p.Alpha, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalize: p.Normalize, Round: p.Round, Minimize: true}.Embedding),
	}
}
