package engine

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// patchRows is the number of patches that a worker computes at a time.
const patchRows = 128

// computePatches evaluates a patch rule at every point.
func computePatches(p *problem, rule patchRule) (*sparse.Patches, error) {
	defer p.clock.Phase("patches")()
	worker, err := rule.begin(p)
	if err != nil {
		return nil, err
	}
	ptr, index := rule.sets(p.graph)
	patches := sparse.NewPatches(p.options.Threads, ptr, index)
	type scratch struct {
		patch patchFunc
		lower []float64
	}
	workers := make([]scratch, blas.Threads(p.options.Threads))
	var done atomic.Int64
	progress := p.fraction("patches")
	err = blas.For(p.ctx, p.options.Threads, patches.Len(), patchRows, func(w, lo, hi int) {
		s := &workers[w]
		if s.patch == nil {
			s.patch = worker()
		}
		for i := lo; i < hi; i++ {
			if size := patches.Size(i); cap(s.lower) < size {
				s.lower = make([]float64, size)
			}
			s.lower = s.lower[:patches.Size(i)]
			s.patch(i, s.lower)
			patches.Store(i, s.lower)
		}
		progress(float64(done.Add(int64(hi-lo))) / float64(patches.Len()))
	})
	return patches, err
}

// sumOfPatches is Φ = Σ SᵢLᵢSᵢᵀ, whose null space holds the constants.
func sumOfPatches(p *problem, rule patchRule) (*alignment, error) {
	patches, err := computePatches(p, rule)
	if err != nil {
		return nil, err
	}
	defer p.clock.Phase("alignment")()
	phi, err := sparse.Assemble(p.ctx, p.options.Threads, p.x.N, patches)
	if err != nil {
		return nil, err
	}
	p.explain("alignment: %d × %d, %d entries", phi.Rows, phi.Cols, phi.NNZ())
	constant := slices.Repeat([]float64{1 / math.Sqrt(float64(p.x.N))}, p.x.N)
	a := &alignment{phi: phi, null: constant}
	if f, ok := rule.(factoredRule); ok {
		a.factored = func() (*sparse.CSR, error) { return stackedFactor(p, f) }
	}
	return a, nil
}

// normalisedSum is D^−½ Φ D^−½ for patches that add up to a graph Laplacian
// Φ = D − W: the generalised problem Φy = μDy in symmetric form, with y = D^−½u
// and the null vector D^½1. Its spectrum lies in [0, 2].
func normalisedSum(p *problem, rule patchRule) (*alignment, error) {
	a, err := sumOfPatches(p, rule)
	if err != nil {
		return nil, err
	}
	defer p.clock.Phase("alignment")()
	phi, n := a.phi, p.x.N
	a.laplacian = true
	a.scale = make([]float64, n)
	var total float64
	for i := range n {
		degree := phi.At(i, i)
		if !(degree > 0) {
			return nil, fmt.Errorf("%s: sample %d (counting from 1) has no neighbour of positive weight; take more neighbours, graph=union, or a larger t", p.name, i+1)
		}
		a.scale[i] = 1 / math.Sqrt(degree)
		total += degree
	}
	for i := range n {
		a.null[i] = 1 / (a.scale[i] * math.Sqrt(total))
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if int(j) == i {
				vals[q] = 1
			} else {
				// One product of both factors, so that (i, j) and (j, i) round alike.
				vals[q] *= a.scale[i] * a.scale[j]
			}
		}
	}
	return a, nil
}
