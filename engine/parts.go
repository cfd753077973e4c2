package engine

import (
	"math"

	"github.com/orthant-go/orthant/engine/measures"
)

// FactorPart is what one component contributes to a factorisation X ≈ Offset + WH.
type FactorPart struct {
	// Share of the component in the sum of WH, Σᵢⱼ wᵢₖhₖⱼ / Σᵢⱼ (WH)ᵢⱼ; the shares sum to 1. NaN without W, for factors
	// with negative entries, whose parts cancel, and if WH is zero.
	Share float64
	// Sparseness of its row of H by Hoyer (2004): 1 if one entry is not zero, 0 if all are equal. NaN for a row of zeros or one column.
	Sparseness float64
}

// parts measures the components, in the order of the rows of H; nil where these are no components, as of a projection. O((n + m)R).
func (r *Factorization) parts() []FactorPart {
	rows, cols := r.H.Dims()
	if rows != r.Rank {
		return nil
	}
	list := make([]FactorPart, rows)
	for k := range list {
		list[k] = FactorPart{math.NaN(), math.NaN()}
	}
	if r.W != nil {
		if shares, err := measures.ComponentShares(r.W, r.H, false); err == nil { // else they have no shares
			for k, v := range shares {
				list[k].Share = v
			}
		}
	}
	if cols > 1 {
		if sparseness, err := measures.Sparseness(r.H); err == nil {
			for k, v := range sparseness {
				list[k].Sparseness = v
			}
		}
	}
	return list
}
