package engine

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FixedFactor says which factor of a given start stays as it is.
type FixedFactor struct {
	Fixed string `json:"fixed" default:"none" allowed:"none|w|h" doc:"the factor that stays as it is given in the start, to the bit, while the other is learned; components and coordinates keep their scale then"`
}

func (g FixedFactor) give(r *factor.ByNMF) {
	if r.Fixed = g.Fixed; g.Fixed != nmf.NoneFixed && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
}
