package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// Regularization says how barycentric weights are regularised: by γ times the trace of
// the local Gram matrix. That alone lets every weight vector miss the tangent plane by
// about γ of the neighbourhood's radius, and the energy of this miss, γ²h²‖∇f‖², passes
// that of the first bending of a sheet, h⁴‖∇²f‖², where the samples are dense. Auto
// therefore takes the terms along the tangent plane out of the weights where the local
// spectrum shows one (docs/weights.md).
type Regularization struct {
	Gamma    float64 // γ
	Tangents int     // d, the tangents that a neighbourhood is asked for; 0: none, all directions are regularised alike
}

// Regularized is the regularisation by γ of all directions alike, or, for γ = 0, auto in d
// dimensions.
func Regularized(gamma float64, dim int) Regularization {
	if gamma > 0 {
		return Regularization{Gamma: gamma}
	}
	return Regularization{Gamma: PaperGamma, Tangents: dim}
}

const (
	// PaperGamma is the γ of the papers and of other programs. Auto takes no larger one.
	PaperGamma = 1e-3
	// clearGap is the gap below which a neighbourhood shows its tangent plane: the terms
	// along it are scaled by gap/clearGap. Neighbourhoods of wide data are far above it.
	clearGap = 0.1
	// leastGamma is the floor of an automatic γ: below it rounding decides the weights.
	leastGamma = 1e-9
	// leastOff is the least share of 1 off the tangents for which the rest makes weights.
	leastOff = 1e-6
)

// spectralGap tells how unclear the first d directions of a local spectrum λ (descending)
// are as a tangent plane,
//
//	g = Σ_{j>d}λⱼ/λ_d · (λ₁/λ_d)²,
//
// what lies off the plane over its least direction, and all the more where that is small
// beside the largest one, as the curvature of fewer dimensions is. On a sheet of curvature
// κ it is about (κh)² for the radius h; it is 1 and more where there is no gap.
func spectralGap(lambda []float64, d int) float64 {
	first, last := lambda[0], lambda[d-1]
	if last <= roundingShare*first {
		return math.Inf(1)
	}
	return vector.Sum(lambda[d:]) / last * (first / last) * (first / last)
}

// clarity is the factor of the terms along the tangents: 0 for an exact tangent plane,
// 1 where there is none.
func clarity(gap float64) float64 { return math.Min(1, gap/clearGap) }

// canBeClear rejects most spectra without a gap by their trace and by the sum of their
// squares: the first d of k eigenvalues hold at least 1 − clearGap of the trace where
// spectralGap is below clearGap, and then Σλ² is at least that share squared over d.
func canBeClear(gram []float64, k, d int, trace float64) bool {
	share := (1 - clearGap) * trace
	return blas.Dot(gram[:k*k], gram[:k*k])*float64(d) >= share*share
}

// within lowers γ to the median gap of the local spectra over d, which is about their tail
// share η: a γ above it lets directions off the tangent plane pass as if they were noise.
// lambda has the spectra, one after the other as the lists of the graph. A γ that was given
// stays.
func (r Regularization) within(in Local, lambda []float64) Regularization {
	if r.Tangents == 0 {
		return r
	}
	g := in.Graph
	gaps := make([]float64, 0, g.Len())
	for i := range g.Len() {
		if own := lambda[g.Ptr[i]:g.Ptr[i+1]]; r.Tangents < len(own) {
			gaps = append(gaps, spectralGap(own, r.Tangents))
		}
	}
	if len(gaps) > 0 || in.Others != nil { // others may have some
		if gap := in.median(gaps); !math.IsNaN(gap) {
			r.Gamma = min(r.Gamma, max(gap/float64(r.Tangents), leastGamma))
		}
	}
	return r
}
