package nmf

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// correntropySteps are the multiplicative steps that a new sample gets (You et al. 2015).
	correntropySteps = 200
	// scaleRounds are the rounds of weights after which σ² stays: where it and the
	// coordinates chase each other, they would do so for ever.
	scaleRounds = 500
	// weightedRounds bounds the rounds in all.
	weightedRounds = 2000
)

// solveCorrentropy takes the published multiplicative steps, which lead to one of several
// minima, and from there solves the weighted least squares, which are convex, and weights
// anew, until the residual under the weights of the coordinates themselves is at most the
// tolerance.
func solveCorrentropy(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	steps := *e
	steps.options.Iterations = correntropySteps
	encodeCorrentropy(&steps, f, s, lo, hi)
	r, c := f.r, s.code
	for i := lo; i < hi; i++ {
		rule := e.options.Sigma
		x, w := f.sample(s, i), f.w[i*r:(i+1)*r]
		least := rule.leastOfSample(x)
		var residual float64
		for t := range weightedRounds {
			if f.stopped() {
				return
			}
			if t == scaleRounds {
				rule.Fixed = c.sigma2
			}
			size := c.weigh(f, rule, x, w, least)
			if residual = c.squares.residual(c.gram, c.right, w, size); size == 0 || residual <= e.options.Tolerance {
				break
			}
			c.squares.solve(c.gram, c.right, w, size, e.options.Tolerance/10, e.options.Iterations)
		}
		c.worst = max(c.worst, residual)
	}
}

// weigh computes the weights of the entries of a sample at w, and HPHᵀ and H(p∘x); it
// returns ‖x‖ under them.
func (c *codeScratch) weigh(f *factorization, rule Sigma, x, w []float64, least float64) float64 {
	f.kernels.Gemm(false, false, 1, f.m, f.r, 1, w, f.r, f.h, f.m, 0, c.model, f.m)
	c.sigma2 = rule.ofSample(x, c.model, least)
	// The weights take the place of wH, that of weighted x the place of their roots.
	blas.GaussWeights(min(0.5/c.sigma2, math.MaxFloat64), x, c.model, c.model, c.root, c.spare)
	f.kernels.Gemm(false, false, 1, f.r, f.m, 1, c.root, f.m, f.ht, f.r, 0, c.right, f.r)
	size := blas.Dot(c.root, x)
	for j, p := range c.model {
		c.root[j] = math.Sqrt(p)
	}
	f.weightedGram(c, c.root, nil)
	return math.Sqrt(size)
}
