package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// encodeCorrentropy weights the entries anew in every iteration, each sample by a σ²
// of its own.
func encodeCorrentropy(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	rule, rows := e.options.Sigma, hi-lo
	num, den, least := s.num[:rows*f.r], s.den[:rows*f.r], s.weights
	for i := range rows {
		least[i] = rule.leastOfSample(f.sample(s, lo+i))
	}
	for range e.options.Iterations {
		if f.stopped() {
			return
		}
		f.modelRows(lo, hi, s.model)
		for i := range rows {
			x, model := f.sample(s, lo+i), s.model[i*f.m:(i+1)*f.m]
			sigma2 := rule.ofSample(x, model, least[i])
			left, right := f.sides(s, i)
			blas.GaussWeights(min(0.5/sigma2, math.MaxFloat64), x, model, s.row, left, right)
		}
		f.weightedProducts(s, rows, num, den)
		blas.MultiplyRatios(f.w[lo*f.r:hi*f.r], denominator, vanished, num, den)
	}
}

// leastOfSample is the floor of σ² of a new sample; with Share it is σ² itself.
func (rule Sigma) leastOfSample(x []float64) float64 {
	return max(max(rule.Floor, rule.Share)*blas.Dot(x, x)/float64(len(x)), 1e-300)
}

// ofSample is σ² of a new sample with a floor.
func (rule Sigma) ofSample(x, model []float64, least float64) float64 {
	switch {
	case rule.Fixed > 0:
		return rule.Fixed
	case rule.Share > 0:
		return least
	}
	return max(rule.Theta*blas.SquaredDistance(x, model)/float64(len(x)), least)
}

// encodeByCommonScale takes the step of W alone: σ² is the one of all samples.
func encodeByCommonScale(ctx context.Context, e *Encoder, f *factorization) error {
	o := e.options
	o.Schedule = Refresh
	f.allocateSums()
	u := newCorrentropy(f, nil, o)
	if err := u.prepare(ctx); err != nil {
		return err
	}
	for t := 1; t <= o.Iterations; t++ {
		u.updateSigma(t)
		step := u.stepRows
		if u.entries != nil {
			step = u.stepEntries
		}
		if err := u.measurePass(ctx, step); err != nil {
			return err
		}
		u.squares = *u.sums.squares
		o.Progress(float64(t) / float64(o.Iterations))
	}
	if math.IsNaN(u.squares) {
		return fmt.Errorf("nmf: encoding diverged; scale the data to moderate size")
	}
	return nil
}

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
	// The weights take the place of wH, weighted x the place of their roots.
	blas.GaussWeights(min(0.5/c.sigma2, math.MaxFloat64), x, c.model, c.model, c.root, c.spare)
	f.kernels.Gemm(false, false, 1, f.r, f.m, 1, c.root, f.m, f.ht, f.r, 0, c.right, f.r)
	size := blas.Dot(c.root, x)
	for j, p := range c.model {
		c.root[j] = math.Sqrt(p)
	}
	f.weightedGram(c, c.root, nil)
	return math.Sqrt(size)
}
