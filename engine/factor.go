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
	// beginFactor is begin for factors.
	beginFactor(p *problem) (func() factorFunc, error)
}

// factorFunc writes the rows of Mᵢ, one after the other with |Iᵢ| columns each in
// the order of the rule's sets, and returns their number, at most |Iᵢ|.
type factorFunc func(i int, dst []float64) (rows int)

// stackedFactor computes Bᵀ, a row for each row of each Mᵢ.
func stackedFactor(p *problem, rule factoredRule) (*sparse.CSR, error) {
	worker, err := rule.beginFactor(p)
	if err != nil {
		return nil, err
	}
	ptr, index := rule.sets(p.graph)
	n := len(ptr) - 1
	// Every block of points is computed into a piece of its own, and the pieces are
	// then laid end to end.
	pieces := make([]sparse.CSR, (n+patchRows-1)/patchRows)
	funcs := make([]factorFunc, blas.Threads(p.options.Threads))
	err = blas.For(p.ctx, p.options.Threads, n, patchRows, func(w, lo, hi int) {
		if funcs[w] == nil {
			funcs[w] = worker()
		}
		piece := &pieces[lo/patchRows]
		var dst []float64
		for i := lo; i < hi; i++ {
			set := index[ptr[i]:ptr[i+1]]
			if len(dst) < len(set)*len(set) {
				dst = make([]float64, len(set)*len(set))
			}
			for r := range funcs[w](i, dst) {
				piece.Col = append(piece.Col, set...)
				piece.Val = append(piece.Val, dst[r*len(set):(r+1)*len(set)]...)
				piece.Ptr = append(piece.Ptr, len(piece.Col))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	b := &sparse.CSR{Cols: p.x.N, Ptr: []int{0}}
	for _, piece := range pieces {
		start := len(b.Col)
		b.Col, b.Val = append(b.Col, piece.Col...), append(b.Val, piece.Val...)
		for _, end := range piece.Ptr {
			b.Ptr = append(b.Ptr, start+end)
		}
	}
	b.Rows = len(b.Ptr) - 1
	return b, nil
}

// beginFactor: the patch of LLE is vvᵀ with v = (w; −1).
func (r reconstruction) beginFactor(p *problem) (func() factorFunc, error) {
	return func() factorFunc {
		k := p.graph.MaxDegree()
		weights := newWeightSolver(p.kernels, k, r.gamma)
		g := make([]float64, k*p.x.M)
		return func(i int, dst []float64) int {
			list := p.graph.Of(i)
			differences(p.x, i, list, g)
			copy(dst, weights.of(g, len(list), p.x.M))
			dst[len(list)] = -1
			return 1
		}
	}, nil
}

// beginFactor: the patch of LTSA is a projector, and so its own factor.
func (r tangent) beginFactor(p *problem) (func() factorFunc, error) {
	worker, err := r.begin(p)
	if err != nil {
		return nil, err
	}
	ptr, _ := r.sets(p.graph)
	return func() factorFunc {
		patch := worker()
		var lower []float64
		return func(i int, dst []float64) int {
			size := ptr[i+1] - ptr[i]
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
			return size
		}
	}, nil
}

// beginFactor: the patch of NEML is [W; −1ᵀ][W; −1ᵀ]ᵀ with W = a·w1ᵀ + b·V₀H.
// Turned by H, which is orthogonal, the factor needs no Householder vector:
// with v = V₀ᵀ1, H1 = v/α and so
//
//	M = H·[Wᵀ, −1] = b·[V₀ᵀ, 0] + (v/α)·[a·wᵀ, −1].
func (r multipleWeights) beginFactor(p *problem) (func() factorFunc, error) {
	lambda, err := localSpectra(p)
	if err != nil {
		return nil, err
	}
	eta := r.tolerance(p.graph, lambda)
	return func() factorFunc {
		k := p.graph.MaxDegree()
		c := r.newCalculator(p.kernels, k)
		g, lower := make([]float64, k*p.x.M), make([]float64, (k+1)*(k+2)/2)
		return func(i int, dst []float64) int {
			list := p.graph.Of(i)
			differences(p.x, i, list, g)
			s := weightCount(lambda[p.graph.Ptr[i]:p.graph.Ptr[i+1]], r.dim, eta)
			c.patch(g, len(list), p.x.M, s, lower)
			return c.factor(g, len(list), p.x.M, s, dst)
		}
	}, nil
}

// factor writes M for the patch that was computed last, of the same arguments.
func (c *multipleCalculator) factor(g []float64, k, m, s int, dst []float64) int {
	w := c.weights.w[:k]
	if isZero(g[:k*m]) {
		copy(dst, w)
		dst[k] = -1
		return 1
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
	return s
}
