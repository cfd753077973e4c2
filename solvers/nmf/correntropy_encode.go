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
	rule, m, rows := e.options.Sigma, float64(f.m), hi-lo
	num, den, least := s.num[:rows*f.r], s.den[:rows*f.r], s.weights
	for i := range rows {
		x := f.rows(s, lo+i, lo+i+1)
		least[i] = max(rule.Floor*blas.Dot(x, x)/m, 1e-300)
	}
	for range e.options.Iterations {
		f.modelRows(lo, hi, s.model)
		for i := range rows {
			x, model := f.rows(s, lo+i, lo+i+1), s.model[i*f.m:(i+1)*f.m]
			sigma2 := rule.Fixed
			if sigma2 == 0 {
				sigma2 = max(rule.Theta*blas.SquaredDistance(x, model)/m, least[i])
			}
			left, right := f.sides(s, i)
			blas.GaussWeights(min(0.5/sigma2, math.MaxFloat64), x, model, s.row, left, right)
		}
		f.weightedProducts(s, rows, num, den)
		blas.MultiplyRatios(f.w[lo*f.r:hi*f.r], denominator, vanished, num, den)
	}
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
		if err := u.measurePass(ctx, u.stepRows); err != nil {
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
