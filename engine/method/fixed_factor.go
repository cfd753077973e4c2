package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FixedFactor says which factor of a given start stays as it is.
type FixedFactor struct {
	Fixed string `json:"fixed" default:"none" allowed:"none|w|h" doc:"the factor that keeps the values of the given start while the other is learned; the factors are then not rescaled"`
}

func (g FixedFactor) give(r *factor.ByNMF) {
	if r.Fixed = g.Fixed; g.Fixed != nmf.NoneFixed && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
}
