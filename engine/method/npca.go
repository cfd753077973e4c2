package method

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// NPCA is nonnegative principal component analysis (Zafeiriou and Laskaris 2010,
// eq. 11): nonnegative directions,
//
//	max tr(UᵀCU)   under U ≥ 0, UᵀU = I,   C = XcᵀXc, Y = XcU.
//
// In an exact solution every column of the data is used by at most one direction.
// The model is linear. O(n m²) once and 4m²P for each iteration.
type NPCA struct {
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"P, the columns of the embedding, at most those of the data"`
	Update     string   `json:"update" default:"gradient" allowed:"gradient|paper|penalty" deprecated:"printed" doc:"the rule. gradient: projected gradients of an objective with a penalty on overlap; the others are multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective (penalty)"`
	Sigma      *float64 `json:"sigma" default:"auto" allowed:"≥ 0" doc:"σ of C + σI in a multiplicative rule; a larger σ favours disjoint directions; auto: 0"`
	Alpha      *float64 `json:"overlap_penalty" former:"alpha" default:"auto" allowed:"> 0" doc:"weight of the penalty; auto: with update=gradient the norm of the matrix C, doubled while ‖UᵀU − I‖ > √P/64, at most 64 times; with update=penalty that norm times 1, 2, 4, … 64, each for a seventh of the iterations"`
	Init       string   `json:"init" default:"random" allowed:"random|spectral" doc:"the start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts of the leading eigenvectors"`
	Iterations int      `json:"iterations" default:"auto" allowed:"≥ 1" doc:"the most iterations; auto: 20000 for update=gradient, else 500"`
	Tolerance  *float64 `json:"tolerance" default:"auto" allowed:"≥ 0" doc:"update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by less, relative to it (auto: 1e-06); 0: never"`
	Normalize  bool     `json:"normalise" default:"false" deprecated:"all" doc:"with update=printed: scale columns to unit length after every step"`
	Round      bool     `json:"round" default:"false" doc:"make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns"`
}

// Name returns "npca".
func (NPCA) Name() string { return "npca" }

func (p NPCA) row() Row {
	return Row{Dim: p.Dim, Embed: p.steps, Check: p.check, Units: Units{}.updated()}
}

func (p NPCA) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, 0, m) }

func (p NPCA) steps() pipeline.Steps {
	return pipeline.Steps{
		Joint: pipeline.JoinExtended(align.FeatureGram, solve.Multiplicative{Dim: p.Dim, Update: p.Update, Sigma: p.Sigma, Alpha: p.Alpha, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalize: p.Normalize, Round: p.Round}.Projection, extend.Linear),
	}
}
