package patch

import (
	"github.com/orthant-go/orthant/blas"
)

// Reconstruction is the patch of locally linear embedding: (e − w)(e − w)ᵀ for
// the one vector w of weights that best reconstructs a sample from its neighbours.
func Reconstruction(by Regularization) Rule {
	r := reconstruction{by}
	rule := Rule{Sets: withSelf, Begin: r.begin, Factor: r.factor, Weights: r.weights}
	if by.Tangents == 0 {
		rule.Given = &GivenGamma{Gamma: by.Gamma, Share: 0.1, Begin: func(in Local, _ []int) (func() Func, error) { return r.begin(in) }}
	}
	return rule
}

// reconstruction has the regularisation of the weights.
type reconstruction struct{ by Regularization }

func (r reconstruction) begin(in Local) (func() Func, error) {
	return func() Func {
		k := in.Graph.MaxDegree()
		weights := NewWeightSolver(in.Kernels(), k, r.by)
		g := make([]float64, k*in.X.M())
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			differences(in.X, i, list, g)
			rankOne(weights.Solve(g, len(list), in.X.M()), dst)
		}
	}, nil
}

// rankOne writes the lower triangle of vvᵀ for v = (w; −1), the neighbours first
// and then the point.
func rankOne(w, dst []float64) {
	at := 0
	for a, wa := range w {
		for _, wb := range w[:a+1] {
			dst[at] = wa * wb
			at++
		}
	}
	for b, wb := range w {
		dst[at+b] = -wb
	}
	dst[at+len(w)] = 1
}

// factor: the patch of LLE is vvᵀ with v = (w; −1).
func (r reconstruction) factor(in Local) (func(int) int, func() FactorFunc, error) {
	return func(int) int { return 1 }, func() FactorFunc {
		k := in.Graph.MaxDegree()
		weights := NewWeightSolver(in.Kernels(), k, r.by)
		g := make([]float64, k*in.X.M())
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			differences(in.X, i, list, g)
			copy(dst, weights.Solve(g, len(list), in.X.M()))
			dst[len(list)] = -1
		}
	}, nil
}

// weights are LLE's barycentric weights.
func (r reconstruction) weights(in Local) ([]float64, error) {
	all := make([]float64, len(in.Graph.Index))
	k := in.Graph.MaxDegree()
	type scratch struct {
		solver *WeightSolver
		g      []float64
	}
	workers := make([]scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), in.Graph.Len(), blockPatches, func(w, lo, hi int) {
		s := &workers[w]
		if s.solver == nil {
			*s = scratch{NewWeightSolver(in.Kernels(), k, r.by), make([]float64, k*in.X.M())}
		}
		for i := lo; i < hi; i++ {
			list := in.Graph.Of(i)
			differences(in.X, i, list, s.g)
			copy(all[in.Graph.Ptr[i]:], s.solver.Solve(s.g, len(list), in.X.M()))
		}
	})
	return all, err
}
