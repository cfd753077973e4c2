package patch

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// factor: the patch of NEML is [W; −1ᵀ][W; −1ᵀ]ᵀ with W = a·w1ᵀ + b·V₀H.
// Turned by H, which is orthogonal, the factor needs no Householder vector:
// with v = V₀ᵀ1, H1 = v/α and so
//
//	M = H·[Wᵀ, −1] = b·[V₀ᵀ, 0] + (v/α)·[a·wᵀ, −1].
func (r MultipleWeights) factor(in Local) (func(int) int, func() FactorFunc, error) {
	lambda, err := localSpectra(in)
	if err != nil {
		return nil, nil, err
	}
	eta := r.tolerance(in.Graph, lambda)
	r.By = r.By.within(in.Graph, lambda)
	count := func(i int) int {
		own := lambda[in.Graph.Ptr[i]:in.Graph.Ptr[i+1]]
		if own[0] == 0 { // all neighbours coincide with the point: one vector
			return 1
		}
		return weightCount(own, r.Dim, eta)
	}
	return count, func() FactorFunc {
		k := in.Graph.MaxDegree()
		c := r.newCalculator(in.Kernels(), k)
		laid, lower := samples.NewLaid(in.X), make([]float64, (k+1)*(k+2)/2)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := laid.Differences(i, list)
			s := count(i)
			c.patch(g, len(list), m, s, lower)
			c.factor(g, len(list), m, s, dst)
		}
	}, nil
}

// factor writes M for the patch that was computed last, of the same arguments.
func (c *multipleCalculator) factor(g []float64, k, m, s int, dst []float64) {
	w := c.weights.w[:k]
	if vector.IsZero(g[:k*m]) {
		copy(dst, w)
		dst[k] = -1
		return
	}
	alpha := c.alpha
	c.spectrum.analyze(g, k, m, -1)
	for l := range s {
		v := c.spectrum.vectors[(k-s+l)*k : (k-s+l+1)*k]
		along := 1.0 // (v/α) for this vector: its sum over α
		if alpha < leastAlpha {
			vector.FixSign(v)
		} else {
			along = vector.Sum(v) / alpha
		}
		a, b := c.mixing(math.Max(alpha, leastAlpha))
		row := dst[l*(k+1) : (l+1)*(k+1)]
		for j := range k {
			row[j] = b*v[j] + along*a*w[j]
		}
		row[k] = -along
	}
}
