package patch

import (
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/lasso"
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

// reconstruction is defined by the regularisation of the weights.
type reconstruction struct{ by Regularization }

func (r reconstruction) begin(in Local) (func() Func, error) {
	return func() Func {
		k := in.Graph.MaxDegree()
		weights := NewWeightSolver(in.Kernels(), k, r.by)
		gathered := samples.NewGathered(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := gathered.Differences(i, list)
			rankOne(weights.Solve(g, len(list), m), dst)
		}
	}, nil
}

// rankOne writes the lower triangle of vvᵀ for v = (w; −1), the neighbours first
// and then the sample.
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
		gathered := samples.NewGathered(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := gathered.Differences(i, list)
			copy(dst, weights.Solve(g, len(list), m))
			dst[len(list)] = -1
		}
	}, nil
}

// weights returns LLE's barycentric weights.
func (r reconstruction) weights(in Local) ([]float64, error) {
	all := make([]float64, len(in.Graph.Index))
	k := in.Graph.MaxDegree()
	type scratch struct {
		solver   *WeightSolver
		gathered *samples.Gathered
	}
	workers := make([]scratch, blas.Threads(in.Threads()))
	err := blas.For(in.Context(), in.Threads(), in.Graph.Len(), blockPatches, func(w, lo, hi int) {
		s := &workers[w]
		if s.solver == nil {
			*s = scratch{NewWeightSolver(in.Kernels(), k, r.by), samples.NewGathered(in.X)}
		}
		for i := lo; i < hi; i++ {
			list := in.Graph.Of(i)
			g, m := s.gathered.Differences(i, list)
			copy(all[in.Graph.Ptr[i]:], s.solver.Solve(g, len(list), m))
		}
	})
	return all, err
}

// GivenWeights is the patch (e − w)(e − w)ᵀ for weights that come with the
// neighbourhoods; the weights of every list must sum to 1.
// A warning refers to the first dim coordinates.
func GivenWeights(dim int) Rule {
	r := givenWeights{dim}
	return Rule{Sets: withSelf, Begin: r.begin, Factor: r.factor}
}

type givenWeights struct{ dim int }

func (r givenWeights) begin(in Local) (func() Func, error) {
	if classes := neighborhood.ClosedClasses(in.Graph); classes > 1 {
		in.Warn("%d closed classes of samples have their neighbours among themselves: Φ has as many null vectors, and the first %d coordinates show little more than the class; take more neighbours, or cluster the samples and embed each cluster",
			classes, min(classes-1, r.dim))
	}
	return func() Func {
		return func(i int, dst []float64) { rankOne(in.Graph.Weights(i), dst) }
	}, nil
}

// factor: the patch is vvᵀ with v = (w; −1).
func (givenWeights) factor(in Local) (func(int) int, func() FactorFunc, error) {
	return func(int) int { return 1 }, func() FactorFunc {
		return func(i int, dst []float64) {
			dst[copy(dst, in.Graph.Weights(i))] = -1
		}
	}, nil
}

// AffineCodes is the patch of SP-RNA within classes: (e − s)(e − s)ᵀ for the
// sparse affine code s of [lasso.AffineCoder]. A sample without neighbours has
// none. failed counts the codes that did not converge.
func AffineCodes(failed *atomic.Int64) Rule {
	return Rule{Sets: withSelf, Begin: func(in Local) (func() Func, error) { return affineCodes(in, failed), nil }}
}

func affineCodes(in Local, failed *atomic.Int64) func() Func {
	return func() Func {
		var coder lasso.AffineCoder
		rows := NewRows(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			if len(list) == 0 {
				dst[0] = 0
				return
			}
			x, data, places := rows.Of(i, list)
			s, report := coder.Solve(x, data, places, nil)
			if !report.Converged {
				failed.Add(1)
			}
			rankOne(s, dst)
		}
	}
}

// Rows provides the coders with a sample and its neighbours. Dense samples are used in place. For
// compressed samples, only the columns in which any of them has an entry are expanded, since the other
// columns add nothing to a residual. It is the scratch of one worker.
type Rows struct {
	x        samples.Samples
	gathered *samples.Gathered
	places   []int32
}

// NewRows returns the scratch for the given samples.
func NewRows(x samples.Samples) *Rows { return &Rows{x: x, gathered: samples.NewGathered(x)} }

// Of returns sample i, and rows; those at the given places are its neighbours. They are
// valid until the next call.
func (r *Rows) Of(i int, list []int32) (x, data []float64, places []int32) {
	if r.x.Compressed() == nil {
		return r.x.Row(i), r.x.Data(), list
	}
	rows, width := r.gathered.WithSelf(i, list)
	for len(r.places) < len(list) {
		r.places = append(r.places, int32(len(r.places)))
	}
	return rows[len(list)*width:], rows, r.places[:len(list)]
}
