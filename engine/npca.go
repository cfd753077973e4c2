package engine

import (
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/solve"
)

// NPCA is nonnegative principal component analysis (Zafeiriou and Laskaris 2010,
// eq. 11): directions without negative entries,
//
//	max tr(UᵀCU)   under U ≥ 0, UᵀU = I,   C = XcᵀXc, Y = XcU.
//
// At an exact solution every column of the data is used by at most one direction.
// The model is linear. O(n m²) once and 4m²P an iteration.
type NPCA struct {
	Dim        int      `json:"dim" default:"2" allowed:"≥ 1" doc:"P, the columns of the embedding, at most those of the data"`
	Update     string   `json:"update" default:"gradient" allowed:"gradient|paper|penalty|printed" doc:"the rule: projected gradients down an objective with a penalty on overlap; or a multiplicative one: the paper's for a maximisation, a majoriser of the same objective, or the rule as printed, for comparison"`
	Sigma      *float64 `json:"sigma" default:"auto" allowed:"≥ 0" doc:"σ of C + σI, a pull towards disjoint directions, by a multiplicative rule; auto: 0"`
	Alpha      *float64 `json:"alpha" default:"auto" allowed:"> 0" doc:"weight of the penalty; auto, by update=gradient: the norm of the matrix C, doubled (64 times at most) while ‖UᵀU − I‖ > √P/64; by update=penalty: that norm times 1, 2, 4, … 64, a seventh of the iterations each"`
	Init       string   `json:"init" default:"random" allowed:"random|spectral" doc:"the start: uniform in (0.1, 1) by the seed, with unit columns, or the positive parts of the leading eigenvectors"`
	Iterations int      `json:"iterations" default:"auto" allowed:"≥ 1" doc:"the most iterations; auto: 20000 for update=gradient, else 500"`
	Tolerance  *float64 `json:"tolerance" default:"auto" allowed:"≥ 0" doc:"update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by less, relative to it (auto: 1e-06); 0: never"`
	Normalize  bool     `json:"normalise" default:"false" doc:"for the update as printed: scale columns to unit length after every step"`
	Round      bool     `json:"round" default:"false" doc:"make the result exactly feasible: one coordinate a row, the columns orthonormal"`
}

// Name returns "npca".
func (NPCA) Name() string { return "npca" }

func (p NPCA) row() row {
	return row{dim: p.Dim, embed: p.steps, check: p.check, units: units{}.updated()}
}

func (p NPCA) check(_, m int) error { return fewerThanColumns(p.Name(), p.Dim, 0, m) }

func (p NPCA) steps() steps {
	return steps{
		joint: joinExtended(align.FeatureGram, solve.Multiplicative{Dim: p.Dim, Update: p.Update, Sigma: p.Sigma, Alpha: p.Alpha, Init: p.Init, Iterations: p.Iterations, Tolerance: p.Tolerance, Normalize: p.Normalize, Round: p.Round}.Projection, extend.Linear),
	}
}
