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

// encodeByCommonScale takes the step of W alone: σ² is that of all samples.
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
