package nmf

import (
	"context"
	"fmt"
	"math"
)

// Huber is Huber's loss Σ ρ(x − y), y = (WH)ᵢⱼ, with the threshold δ (Options.Threshold),
//
//	ρ(e) = e²/2 for |e| ≤ δ, δ|e| − δ²/2 beyond:
//
// entries that are off by more than δ pull with the force δ, however far off they are. Without a given δ it is
// 1.345 times the scale of the residuals, 1.4826 times the median of |e| over the entries above zero of
// at most 2048 evenly spaced samples: for normal residuals that is 95 % as efficient as least squares (Huber 1981).
// It is taken in iterations 1, 10, 20, … 50 and never rises; ρ rises with δ, so that the objective never rises either.
//
// A step is one of majorization–minimization: ρ lies below the square with the weight p = min(1, δ/|e|) that
// touches it, and W ← W ∘ ((P∘X)Hᵀ)/((P∘WH)Hᵀ) lowers the weighted squares (Lee and Seung 2001).
//
// Zeros need no data, but p of zero depends on y: WH is formed everywhere.
var Huber = &Loss{
	name: "huber",
	algorithms: map[string]algorithm{
		Multiplicative: {
			updates:  func(f *factorization, _ *graphTerm, _ Options) updates { return newSeparable(f, scaledHuber(f)) },
			weighted: func(f *factorization, _ Options) updates { return newSeparable(f, scaledHuber(f)) },
			encode:   encodeSeparable(huberOf),
			solve:    solveSeparable(huberOf),
			fixes:    true,
		},
	},
	sparse:       true,
	denseWeights: true,
	memory:       memory{tiles: 3, rows: 1, wide: true},
}

// checkThreshold refuses a δ that is negative or not finite, and options that the loss does not support.
func (o Options) checkThreshold() error {
	switch {
	case o.Loss != Huber:
		return nil
	case !(o.Threshold >= 0) || o.Threshold-o.Threshold != 0:
		return fmt.Errorf("nmf: δ of loss %s is %v; give a finite number ≥ 0", Huber, o.Threshold)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: loss %s goes with no graph term; leave out one of them", Huber)
	}
	return nil
}

// huber is the loss with its δ.
type huber struct {
	betaRule // of β = 2, whose step it takes
	delta    float64
	m        int
}

// huberOf is the rule of the δ of a factorization.
func huberOf(f *factorization) separableRule { return &huber{newBetaRule(2, false), f.threshold, f.m} }

// weight is p of a residual.
func (b *huber) weight(e float64) float64 {
	if e = math.Abs(e); e > b.delta {
		return b.delta / e
	}
	return 1
}

func (b *huber) weigh(data, model, pull, push []float64) {
	for j, x := range data {
		p := b.weight(x - model[j])
		pull[j], push[j] = p*x, p*model[j]
	}
}

func (b *huber) pullOf(_ int, x, y float64) float64 { return b.weight(x-y) * x }
func (b *huber) pushOf(_ int, x, y float64) float64 { return b.weight(x-y) * y }

func (b *huber) pushZeros(model []float64) {
	for at, y := range model {
		model[at] = min(y, b.delta)
	}
}

func (b *huber) pushKnowsData() bool { return true }
func (b *huber) zeros() bool         { return true }

func (b *huber) of(_ int, x, y float64) float64 {
	e := math.Abs(x - y)
	if e > b.delta {
		return b.delta * (e - b.delta/2)
	}
	return e * e / 2
}

func (b *huber) ofZeros(model, _ []float64) (sum float64) {
	for _, y := range model {
		sum += b.of(0, 0, y)
	}
	return sum
}

// bend is p: the curvature of the square above the loss, so that Newton's rule is that of reweighted
// least squares.
func (b *huber) bend(_ int, x, y float64) float64 { return b.weight(x - y) }

const (
	// huberTuning times the standard deviation of normal residuals is δ (Huber 1981).
	huberTuning = 1.345
	// huberFrozen is the iteration after which δ stays.
	huberFrozen = 50
)

// huberScale is Huber's loss whose δ follows the residuals.
type huberScale struct {
	huber
	learns bool
	scale  correntropy // which has the median of residuals
}

// scaledHuber is the rule of a fit.
func scaledHuber(f *factorization) separableRule {
	b := &huberScale{huber: huber{newBetaRule(2, false), f.threshold, f.m}, learns: f.threshold == 0}
	if b.learns { // more than any residual that counts: least squares, until the first iteration
		b.delta = math.Sqrt(math.MaxFloat64) / 4
		b.scale.factorization, b.scale.even = f, true
	}
	return b
}

func (b *huberScale) part() float64 { return 0 }

// adapt lowers δ with the residuals.
func (b *huberScale) adapt(_ context.Context, f *factorization, iteration int) (bool, error) {
	if !b.learns || iteration > huberFrozen || iteration != 1 && iteration%medianEvery != 0 {
		return false, nil
	}
	before := b.delta
	floor := 1e-6 * math.Sqrt(f.totals.squares/(float64(f.n)*float64(f.m)))
	b.delta = min(b.delta, max(huberTuning*b.scale.scaleOfData(), floor, math.SmallestNonzeroFloat64))
	f.threshold = b.delta
	return b.delta != before, nil
}
