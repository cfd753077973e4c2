package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// NONPP is nonnegative orthogonal neighbourhood preserving projections (Zafeiriou
// and Laskaris 2010, eq. 15): [ONPP] with nonnegative directions,
//
//	min tr(UᵀQU)   under U ≥ 0, UᵀU = I,   Q = XᵀMX, Y = XU
//
// with M as in [LLE], by descent with a penalty on overlap or, by a multiplicative rule,
// as the maximum of tr(Uᵀ(σI − Q)U). The model is linear. O(N k²(m + k) + N m²) once and 4m²P for each
// iteration.
type NONPP struct {
	Neighbors  int      `json:"neighbors" default:"12" allowed:"≥ 1" doc:"k, the nearest neighbours of each sample"`
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"P, the columns of the embedding, at most those of the data"`
	Gamma      float64  `json:"gamma" default:"auto" allowed:"> 0" doc:"γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a clear tangent plane"`
	Update     string   `json:"update" default:"gradient" allowed:"gradient|paper|penalty" deprecated:"printed" doc:"the rule. gradient: projected gradients of an objective with a penalty on overlap; the others are multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective (penalty)"`
	Sigma      *float64 `json:"sigma" default:"auto" allowed:"≥ 0" doc:"σ of σI − Q of a multiplicative rule; auto: 1.5 times the largest eigenvalue of Q"`
	Alpha      *float64 `json:"overlap_penalty" former:"alpha" default:"auto" allowed:"> 0" doc:"weight of the penalty; auto: with update=gradient 1/128 of the norm of Q, doubled while ‖UᵀU − I‖ > √P/64, to at most 64 norms; with update=penalty the norm of the matrix C times 1, 2, 4, … 64, each for a seventh of the iterations"`
	Init       string   `json:"init" default:"random" allowed:"random|spectral" doc:"the start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts of the leading eigenvectors"`
	Iterations int      `json:"iterations" default:"auto" allowed:"≥ 1" doc:"the most iterations; auto: 20000 for update=gradient, else 500"`
	Tolerance  *float64 `json:"tolerance" default:"auto" allowed:"≥ 0" doc:"update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by less, relative to it (auto: 1e-06); 0: never"`
	Normalize  bool     `json:"normalise" default:"false" deprecated:"all" doc:"with update=printed: scale columns to unit length after every step"`
	Round      bool     `json:"round" default:"false" doc:"make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns"`
}

// Name returns "nonpp".
func (NONPP) Name() string { return "nonpp" }

func (p NONPP) row() Row {
	return Row{Dim: p.Dim, Neighbors: &p.Neighbors, Embed: p.steps, Check: p.check, Units: Units{}.updated()}
}

func (p NONPP) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, 0, m) }

func (p NONPP) steps() pipeline.Steps {
	return pipeline.Steps{
		Neighbors: neighborhood.Nearest(p.Neighbors),
		Patch:     patch.Reconstruction(patch.Regularized(p.Gamma, p.Dim)),
		Joint:     pipeline.JoinExtended(align.ProjectedSum(align.UnitInFeatures, p.Dim), solve.Multiplicative{Dim: p.Dim, Update: p.Update, Sigma: p.Sigma, Alpha: p.Alpha, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalize: p.Normalize, Round: p.Round, Minimize: true, Margin: 1.5}.Projection, extend.Linear),
	}
}
