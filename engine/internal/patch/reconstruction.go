package patch

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// Reconstruction is the patch of locally linear embedding: (e − w)(e − w)ᵀ for
// the one vector w of weights that best reconstructs a sample from its neighbours.
func Reconstruction(by Regularization) Rule {
	r := reconstruction{by}
	rule := Rule{Sets: withSelf, Begin: r.begin, Factor: r.factor, Weights: r.weights, NoDistances: true}
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
		laid := samples.NewLaid(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := laid.Differences(i, list)
			rankOne(weights.Solve(g, len(list), m), dst)
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
		laid := samples.NewLaid(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := laid.Differences(i, list)
			copy(dst, weights.Solve(g, len(list), m))
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
		laid   *samples.Laid
	}
	workers := make([]scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), in.Graph.Len(), blockPatches, func(w, lo, hi int) {
		s := &workers[w]
		if s.solver == nil {
			*s = scratch{NewWeightSolver(in.Kernels(), k, r.by), samples.NewLaid(in.X)}
		}
		for i := lo; i < hi; i++ {
			list := in.Graph.Of(i)
			g, m := s.laid.Differences(i, list)
			copy(all[in.Graph.Ptr[i]:], s.solver.Solve(g, len(list), m))
		}
	})
	return all, err
}
