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
	Update     string   `json:"update" default:"penalty" allowed:"paper|penalty|printed" doc:"the multiplicative rule: the paper's for a maximisation, a penalty on overlap that falls in every step, or the rule as printed, for comparison"`
	Sigma      *float64 `json:"sigma" default:"auto" allowed:"≥ 0" doc:"σ of C + σI, a pull towards disjoint directions; auto: 0"`
	Alpha      *float64 `json:"alpha" default:"auto" allowed:"> 0" doc:"weight of the penalty (update=penalty); auto: the norm of the matrix C times 1, 2, 4, … 64, a seventh of the iterations each"`
	Init       string   `json:"init" default:"random" allowed:"random|spectral" doc:"the start: uniform in (0.1, 1) by the seed, with unit columns, or the positive parts of the leading eigenvectors"`
	Iterations int      `json:"iterations" default:"500" allowed:"≥ 1" doc:"at most"`
	Tolerance  *float64 `json:"tolerance" default:"1e-06" allowed:"≥ 0" doc:"stop (update=penalty: end the stage) when a step changes the factor by less, relative to it; 0: never"`
	Normalize  bool     `json:"normalise" default:"false" doc:"of the printed update: unit columns after every step"`
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
