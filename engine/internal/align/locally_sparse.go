package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/lasso"
)

// LocallySparse is the alignment of LP-RNA (You et al. 2015, eqs 17–19): each sample,
// scaled to unit length, is reconstructed from its p nearest with the code of
// [lasso.RobustLasso], which tolerates occluded or noisy coordinates. With
// S = (|A| + |A|ᵀ)/2 for the codes A, without entries below τ, the patches of
// distances Sᵢⱼ‖yᵢ − yⱼ‖² around every sample sum to
//
//	Φ = 2(D − S),   D = diag(S1):
//
// every edge counts from both ends; the factor 2 is part of the method.
// The neighbourhoods are those of [neighborhood.UnitNearest].
type LocallySparse struct {
	Smooth float64 // ξ1
	Sparse float64 // ξ2
	Least  float64 // τ
}

// Align codes the samples of unit length and sums the patches of their codes.
func (r LocallySparse) Align(in Input) (*Sum, error) {
	unit, err := onUnitRows(in)
	if err != nil {
		return nil, err
	}
	if unit.Graph, err = r.Codes(unit.Local); err != nil {
		return nil, err
	}
	// Σ |aᵢⱼ|(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ over the list entries already is 2(D − S).
	unit.Patch = patch.Stars()
	return GraphTerm(unit)
}

// onUnitRows returns the same input with the samples scaled to unit length.
func onUnitRows(in Input) (Input, error) {
	bytes := in.X.Bytes()
	gathered := int64(0) // by the workers that code the samples
	if in.X.Compressed() != nil && in.Graph != nil {
		gathered = int64(blas.Threads(in.Threads())) * in.X.GatheredBytes(in.Graph.MaxDegree()+1)
	}
	if err := in.Fit(bytes+gathered, fmt.Sprintf("%d × %d samples of unit length need", in.X.N(), in.X.M()), "take fewer samples or columns, or raise the limit"); err != nil {
		return in, err
	}
	in.Run = in.Holding(bytes + gathered)
	unit, err := in.X.Unit(in.Context(), in.Threads())
	in.X = unit
	return in, err
}

// Codes returns the neighbours of each sample with |aᵢⱼ| ≥ τ, with these numbers as
// weights. Samples must have unit length.
func (r LocallySparse) Codes(in patch.Local) (*neighbors.Graph, error) {
	if !(r.Sparse > 0) || !(r.Smooth >= 0) || !(r.Least >= 0) {
		return nil, wording.Errorf("%s: ‹xi1=%v›, ‹xi2=%v›, ‹tau=%v›; give ‹xi2› > 0 and the others ≥ 0", in.Method(), r.Smooth, r.Sparse, r.Least)
	}
	return neighborhood.Codes(in.Run, in.X.N(), func() func(int, *neighborhood.Lists) {
		coder, rows := lasso.NewRobustLasso(in.Kernels(), r.Smooth, r.Sparse), patch.NewRows(in.X)
		return func(i int, out *neighborhood.Lists) {
			list := in.Graph.Of(i)
			x, data, places := rows.Of(i, list)
			a, report := coder.Solve(x, data, places, nil)
			out.Report(report)
			for at, v := range a {
				if v = math.Abs(v); v >= r.Least && v > 0 {
					out.Add(list[at], v)
				}
			}
		}
	})
}
