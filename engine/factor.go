package engine

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// factoredRule is a patch rule that knows a factor of its patches,
// Lᵢ = MᵢᵀMᵢ. Stacked, the Mᵢ are Bᵀ with Φ = BBᵀ, from which eigenvalues below
// the rounding of Φ itself are still found.
type factoredRule interface {
	patchRule
	// beginFactor is begin for factors; rows is the number of rows of each.
	beginFactor(p *problem) (rows func(i int) int, worker func() factorFunc, err error)
}

// factorFunc writes the rows of Mᵢ, one after the other with |Iᵢ| columns each in
// the order of the rule's sets.
type factorFunc func(i int, dst []float64)

// stackedFactor computes Bᵀ, a row for each row of each Mᵢ.
func stackedFactor(p *problem, rule factoredRule) (*sparse.CSR, error) {
	rows, worker, err := rule.beginFactor(p)
	if err != nil {
		return nil, err
	}
	ptr, index := rule.sets(p.graph)
	n := len(ptr) - 1
	first := make([]int, n+1) // row of Bᵀ at which Mᵢ begins
	entries := 0
	b := &sparse.CSR{Cols: p.x.N, Ptr: []int{0}}
	for i := range n {
		first[i+1] = first[i] + rows(i)
		for range rows(i) {
			entries += ptr[i+1] - ptr[i]
			b.Ptr = append(b.Ptr, entries)
		}
	}
	b.Rows, b.Col, b.Val = first[n], make([]int32, entries), make([]float64, entries)
	funcs := make([]factorFunc, blas.Threads(p.options.Threads))
	err = blas.For(p.ctx, p.options.Threads, n, patchRows, func(w, lo, hi int) {
		if funcs[w] == nil {
			funcs[w] = worker()
		}
		for i := lo; i < hi; i++ {
			set := index[ptr[i]:ptr[i+1]]
			funcs[w](i, b.Val[b.Ptr[first[i]]:b.Ptr[first[i+1]]])
			for r := first[i]; r < first[i+1]; r++ {
				copy(b.Col[b.Ptr[r]:], set)
			}
		}
	})
	return b, err
}

// beginFactor: the patch of LLE is vvᵀ with v = (w; −1).
func (r reconstruction) beginFactor(p *problem) (func(int) int, func() factorFunc, error) {
	return func(int) int { return 1 }, func() factorFunc {
		k := p.graph.MaxDegree()
		weights := newWeightSolver(p.kernels, k, r.gamma)
		g := make([]float64, k*p.x.M)
		return func(i int, dst []float64) {
			list := p.graph.Of(i)
			differences(p.x, i, list, g)
			copy(dst, weights.of(g, len(list), p.x.M))
			dst[len(list)] = -1
		}
	}, nil
}

// beginFactor: the patch of LTSA is a projector, and so its own factor.
func (r tangent) beginFactor(p *problem) (func(int) int, func() factorFunc, error) {
	worker, err := r.begin(p)
	ptr, _ := r.sets(p.graph)
	size := func(i int) int { return ptr[i+1] - ptr[i] }
	return size, func() factorFunc {
		patch := worker()
		var lower []float64
		return func(i int, dst []float64) {
			size := size(i)
			if len(lower) < size*(size+1)/2 {
				lower = make([]float64, size*(size+1)/2)
			}
			patch(i, lower)
			at := 0
			for a := range size {
				for b := range a + 1 {
					dst[a*size+b], dst[b*size+a] = lower[at], lower[at]
					at++
				}
			}
		}
	}, err
}

// beginFactor: the patch of NEML is [W; −1ᵀ][W; −1ᵀ]ᵀ with W = a·w1ᵀ + b·V₀H.
// Turned by H, which is orthogonal, the factor needs no Householder vector:
// with v = V₀ᵀ1, H1 = v/α and so
//
//	M = H·[Wᵀ, −1] = b·[V₀ᵀ, 0] + (v/α)·[a·wᵀ, −1].
func (r multipleWeights) beginFactor(p *problem) (func(int) int, func() factorFunc, error) {
	lambda, err := localSpectra(p)
	if err != nil {
		return nil, nil, err
	}
	eta := r.tolerance(p.graph, lambda)
	count := func(i int) int {
		own := lambda[p.graph.Ptr[i]:p.graph.Ptr[i+1]]
		if own[0] == 0 { // all neighbours coincide with the point: one vector
			return 1
		}
		return weightCount(own, r.dim, eta)
	}
	return count, func() factorFunc {
		k := p.graph.MaxDegree()
		c := r.newCalculator(p.kernels, k)
		g, lower := make([]float64, k*p.x.M), make([]float64, (k+1)*(k+2)/2)
		return func(i int, dst []float64) {
			list := p.graph.Of(i)
			differences(p.x, i, list, g)
			s := count(i)
			c.patch(g, len(list), p.x.M, s, lower)
			c.factor(g, len(list), p.x.M, s, dst)
		}
	}, nil
}

// factor writes M for the patch that was computed last, of the same arguments.
func (c *multipleCalculator) factor(g []float64, k, m, s int, dst []float64) {
	w := c.weights.w[:k]
	if isZero(g[:k*m]) {
		copy(dst, w)
		dst[k] = -1
		return
	}
	alpha := c.alpha
	c.spectrum.of(g, k, m, -1)
	for l := range s {
		v := c.spectrum.vectors[(k-s+l)*k : (k-s+l+1)*k]
		along := 1.0 // (v/α) for this vector: its sum over α
		if alpha < leastAlpha {
			fixSign(v)
		} else {
			along = sum(v) / alpha
		}
		a, b := c.mixing(math.Max(alpha, leastAlpha))
		row := dst[l*(k+1) : (l+1)*(k+1)]
		for j := range k {
			row[j] = b*v[j] + along*a*w[j]
		}
		row[k] = -along
	}
}
