package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// factor: the patch of NEML is [W; −1ᵀ][W; −1ᵀ]ᵀ with W = a·w1ᵀ + b·V₀H.
// Turned by H, which is orthogonal, the factor needs no Householder vector:
// with v = V₀ᵀ1, H1 = v/α and so
//
//	M = H·[Wᵀ, −1] = b·[V₀ᵀ, 0] + (v/α)·[a·wᵀ, −1].
func (r MultipleWeights) factor(in Local) (func(int) int, func() FactorFunc, error) {
	seen, err := r.look(in)
	if err != nil {
		return nil, nil, err
	}
	r.By = seen.by
	return func(i int) int { return int(seen.count[i]) }, func() FactorFunc {
		k := in.Graph.MaxDegree()
		c := r.newCalculator(in.Kernels(), k)
		laid := samples.NewLaid(in.X)
		return func(i int, dst []float64) {
			list := in.Graph.Of(i)
			g, m := laid.Differences(i, list)
			c.factor(g, len(list), m, int(seen.count[i]), dst)
		}
	}, nil
}

// factor writes the rows of M.
func (c *multipleCalculator) factor(g []float64, k, m, s int, dst []float64) {
	w, alone := c.weigh(g, k, m, s)
	if alone {
		copy(dst, w)
		dst[k] = -1
		return
	}
	alpha := math.Max(c.alpha, leastAlpha)
	a, b := c.mixing(alpha)
	vectors := c.spectrum.vectors
	if c.alpha >= leastAlpha { // otherwise V₀ is there, with its signs
		complete(vectors, k, k-s)
	}
	for l := range s {
		v := vectors[(k-s+l)*k : (k-s+l+1)*k]
		along := 1.0 // (v/α) for this vector: its sum over α
		if c.alpha >= leastAlpha {
			along = vector.Sum(v) / alpha
		}
		row := dst[l*(k+1) : (l+1)*(k+1)]
		for j := range k {
			row[j] = b*v[j] + along*a*w[j]
		}
		row[k] = -along
	}
}

// complete writes, behind r orthonormal vectors of length k, vectors that make a basis of
// them: the last columns of the product of the reflections that take the vectors to the
// first axes. The vectors are overwritten by the reflections.
func complete(vectors []float64, k, r int) {
	for j := range r { // reflection j is I − 2uuᵀ, with zeros before entry j
		u := vectors[j*k : j*k+k]
		for i := range j {
			reflect(vectors[i*k:i*k+k], u)
		}
		clear(u[:j])
		length := math.Sqrt(blas.Dot(u, u))
		u[j] += math.Copysign(length, u[j])
		vector.Normalize(u)
	}
	for j := r; j < k; j++ {
		v := vectors[j*k : j*k+k]
		clear(v)
		v[j] = 1
		for i := r - 1; i >= 0; i-- {
			reflect(vectors[i*k:i*k+k], v)
		}
	}
}

// reflect applies I − 2uuᵀ for a unit vector u.
func reflect(u, v []float64) { blas.Axpy(-2*blas.Dot(u, v), u, v) }
