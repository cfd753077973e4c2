package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// NegativeBinomial is the negative log-likelihood of counts x with mean y = (WH)ᵢⱼ and variance y + φⱼy²,
// less that of a Poisson distribution with mean x:
//
//	x log(x/y) − x + (x + 1/φ) log(1 + φy) − S(x, φ),   S = log Γ(x + 1/φ) − log Γ(1/φ) − x log(1/φ)
//
// For φ = 0 it is the Kullback–Leibler divergence, so that objectives of both compare as log-likelihoods.
// It is below zero where the counts vary more than a Poisson distribution does. φ, the dispersion of a column,
// is given (Options.Dispersion), or estimated by maximum likelihood.
//
// A step is one of majorization–minimization (Gouvert, Oberlin and Févotte 2020, IEEE Signal Processing
// Letters 27:815), W ← W ∘ ((X/Y)Hᵀ)/(((1 + φX)/(1 + φY))Hᵀ), which never raises the loss: −log y lies below
// its bound by Jensen, log(1 + φy) below its tangent. An estimate of φ is the best of three
// numbers, one of which is the φ before, and never raises it either.
//
// Zeros need no data, but (1 + φX)/(1 + φY) is not constant as it is for KL: Y is formed everywhere.
var NegativeBinomial = &Loss{
	name: "negative-binomial",
	algorithms: map[string]algorithm{
		Multiplicative: {
			updates: func(f *factorization, _ *graphTerm, _ Options) updates {
				return newSeparable(f, estimatedNegativeBinomial(f))
			},
			weighted: func(f *factorization, _ Options) updates { return newSeparable(f, estimatedNegativeBinomial(f)) },
			encode:   encodeSeparable(negativeBinomialOf),
			solve:    solveSeparable(negativeBinomialOf),
			fixes:    true,
		},
	},
	sparse:       true,
	denseWeights: true,
	memory:       memory{tiles: 3, rows: 1, wide: true},
}

// checkDispersion refuses dispersions that are none, and options that the loss does not support.
func (o Options) checkDispersion(m int) error {
	switch {
	case o.Loss != NegativeBinomial:
		return nil
	case len(o.Dispersion) > 1 && len(o.Dispersion) != m:
		return fmt.Errorf("nmf: %d dispersions for %d columns; give one for each, or one for all", len(o.Dispersion), m)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: loss %s goes with no graph term; leave out one of them", o.Loss)
	case o.Stop == RelativeDecrease && o.Tolerance > 0:
		return fmt.Errorf("nmf: stop %s takes the root of the loss, and loss %s may be below zero; take stop %s", RelativeDecrease, o.Loss, Change)
	}
	for j, v := range o.Dispersion {
		if !(v >= 0) || v-v != 0 {
			return fmt.Errorf("nmf: dispersion %d (counting from 1) is %v; give finite numbers ≥ 0", j+1, v)
		}
	}
	return nil
}

// dispersions are those of the options, one for each of m columns; nil: they are estimated.
func (o Options) dispersions(m int) []float64 {
	if len(o.Dispersion) == 0 {
		return nil
	}
	all := make([]float64, m)
	for j := range all {
		all[j] = o.Dispersion[min(j, len(o.Dispersion)-1)]
	}
	return all
}

// negativeBinomial is the loss with the dispersions of the columns.
type negativeBinomial struct {
	betaRule           // of β = 1, whose step it takes
	phi      []float64 // m
}

// negativeBinomialOf is the rule of the dispersions of a factorization.
func negativeBinomialOf(f *factorization) separableRule {
	return &negativeBinomial{newBetaRule(1, false), f.dispersion}
}

func (b *negativeBinomial) weigh(data, model, pull, push []float64) {
	for j, x := range data {
		y, phi := max(model[j], denominator), b.phi[j]
		pull[j] = x / y
		push[j] = (1 + float64(phi*x)) / (1 + float64(phi*y))
	}
}

func (b *negativeBinomial) pullOf(_ int, x, y float64) float64 { return x / max(y, denominator) }

func (b *negativeBinomial) pushOf(j int, x, y float64) float64 {
	phi := b.phi[j]
	return (1 + float64(phi*x)) / (1 + float64(phi*max(y, denominator)))
}

func (b *negativeBinomial) pushZeros(model []float64) {
	for ; len(model) > 0; model = model[len(b.phi):] {
		for j, phi := range b.phi {
			model[j] = 1 / (1 + float64(phi*max(model[j], denominator)))
		}
	}
}

func (b *negativeBinomial) pushKnowsData() bool { return true }
func (b *negativeBinomial) zeros() bool         { return true }

func (b *negativeBinomial) of(j int, x, y float64) float64 {
	y = max(y, denominator)
	phi := b.phi[j]
	loss := (1 + float64(phi*x)) * float64(y*logRatio(phi*y))
	if x > 0 {
		loss += float64(x*math.Log(x/y)) - x
	}
	return loss
}

func (b *negativeBinomial) ofZeros(model, _ []float64) (sum float64) {
	for ; len(model) > 0; model = model[len(b.phi):] {
		for j, phi := range b.phi {
			y := max(model[j], denominator)
			sum += float64(y * logRatio(phi*y))
		}
	}
	return sum
}

func (b *negativeBinomial) bend(j int, x, y float64) float64 {
	y = max(y, denominator)
	phi := b.phi[j]
	down := 1 + float64(phi*y)
	return max(0, x/(y*y)-phi*(1+float64(phi*x))/(down*down))
}

// logRatio is log(1 + z)/z for z ≥ 0, 1 for 0.
func logRatio(z float64) float64 {
	if z < 1e-8 {
		return 1 - z/2
	}
	return math.Log1p(z) / z
}

// risingLogs is S(x, φ): for a whole x the sum of log(1 + φt) over t = 0 … x − 1.
func risingLogs(x, phi float64) float64 {
	if x == 0 || phi == 0 {
		return 0
	}
	a := 1 / phi
	if a < stirlingLeast {
		above, _ := math.Lgamma(x + a)
		below, _ := math.Lgamma(a)
		return above - below - float64(x*math.Log(a))
	}
	// Stirling's series, in which the large terms cancel exactly.
	return float64((a+x-0.5)*math.Log1p(x/a)) - x + stirlingRest(a+x) - stirlingRest(a)
}

// stirlingLeast is the least number of whose log Γ the series below is right to rounding.
const stirlingLeast = 16

// stirlingRest is log Γ(z) less (z − ½) log z − z + ½ log 2π.
func stirlingRest(z float64) float64 {
	q := 1 / (z * z)
	return (1.0/12 - q*(1.0/360-q*(1.0/1260-q/1680))) / z
}

// dispersionEstimate is the loss with dispersions that are learned with the factors.
type dispersionEstimate struct {
	negativeBinomial
	steps  []float64   // of log φ of each column, to the numbers that are tried
	least  []float64   // the smallest φ of each column; 0: the column is zero throughout
	parts  []float64   // −Σ S(x, φ) of each column
	sums   []float64   // of each column, of the three numbers that are tried
	panels [][]float64 // of each worker: models of some rows
	learns bool
}

const (
	dispersionEvery     = 10   // iterations from one estimate to the next
	dispersionFirstStep = 1.0  // of log φ
	dispersionLastStep  = 0.01 // likewise: φ is learned to a hundredth of itself
	dispersionRows      = 64   // of which models are formed at a time
	dispersionMost      = 1e6
	dispersionLeast     = 1e-8 // of φ times the mean of its column
)

// estimatedNegativeBinomial is the rule of a fit. Dispersions that are not given begin with those of the
// columns around their means.
func estimatedNegativeBinomial(f *factorization) separableRule {
	b := &dispersionEstimate{learns: f.dispersion == nil, parts: make([]float64, f.m)}
	if b.learns {
		f.dispersion = make([]float64, f.m)
		b.steps, b.least, b.sums = make([]float64, f.m), make([]float64, f.m), make([]float64, 3*f.m)
		b.panels = make([][]float64, f.workers)
	}
	b.negativeBinomial = negativeBinomial{newBetaRule(1, false), f.dispersion}
	_ = blas.For(context.Background(), f.threads, f.m, f.columns, func(_, lo, hi int) {
		if b.learns {
			b.begin(f, lo, hi)
		}
		f.ofColumns(lo, hi, func(_, j int, x, v float64) {
			b.parts[j] -= v * risingLogs(x, b.phi[j])
		})
	})
	return b
}

// begin sets the dispersions of some columns by their moments.
func (b *dispersionEstimate) begin(f *factorization, lo, hi int) {
	sum, squares, weights := b.sums[3*lo:2*lo+hi], b.sums[2*lo+hi:lo+2*hi], b.sums[lo+2*hi:3*hi]
	for j := range weights {
		weights[j] = float64(f.n)
	}
	if k := f.data.known; k != nil {
		clear(weights)
		for i := range f.n {
			blas.Axpy(1, k.v[i*f.m+lo:i*f.m+hi], weights)
		}
	}
	f.ofColumns(lo, hi, func(_, j int, x, v float64) {
		sum[j-lo] += v * x
		squares[j-lo] += v * x * x
	})
	for j := lo; j < hi; j++ {
		if sum[j-lo] == 0 {
			continue
		}
		mean := sum[j-lo] / weights[j-lo]
		above := squares[j-lo]/weights[j-lo] - float64(mean*mean) - mean
		b.least[j] = dispersionLeast / mean
		b.phi[j] = min(max(above/(mean*mean), 0.1/mean, b.least[j]), dispersionMost)
		b.steps[j] = dispersionFirstStep
	}
}

// ofColumns calls do for the entries x > 0 of some columns with their weights, row by row.
func (f *factorization) ofColumns(lo, hi int, do func(i, j int, x, v float64)) {
	if f.data.Sparse != nil {
		a := f.data.transpose
		for j := lo; j < hi; j++ {
			rows, vals := a.Row(j)
			for p, i := range rows {
				if vals[p] > 0 {
					do(int(i), j, vals[p], 1)
				}
			}
		}
		return
	}
	for i := range f.n {
		for j := lo; j < hi; j++ {
			x, v := f.data.Dense[i*f.m+j], 1.0
			if x == 0 {
				continue
			}
			if k := f.data.known; k != nil {
				v = k.v[i*f.m+j]
				x /= v
			}
			do(i, j, x, v)
		}
	}
}

func (b *dispersionEstimate) part() float64 { return total(b.parts) }

// adapt looks for better dispersions: of each column φ is the best of φe⁻ˢ, φ and φeˢ. Where φ stays, s
// becomes the distance to the vertex of the parabola through the three, and where it moves, s is doubled.
func (b *dispersionEstimate) adapt(ctx context.Context, f *factorization, iteration int) (bool, error) {
	if !b.learns || iteration%dispersionEvery != 0 {
		return false, nil
	}
	changed := make([]bool, f.m)
	err := blas.For(ctx, f.threads, f.m, f.columns, func(worker, lo, hi int) { b.search(ctx, f, worker, lo, hi, changed) })
	if err != nil {
		return false, err
	}
	for _, c := range changed {
		if c {
			return true, nil
		}
	}
	return false, nil
}

// search is adapt of some columns.
func (b *dispersionEstimate) search(ctx context.Context, f *factorization, worker, lo, hi int, changed []bool) {
	width := hi - lo
	sums := b.sums[3*lo : 3*hi]
	clear(sums)
	tried := func(j, which int) float64 {
		return min(max(b.phi[j]*math.Exp(float64(which-1)*b.steps[j]), b.least[j]), dispersionMost)
	}
	phi := make([]float64, 3*width)
	for j := lo; j < hi; j++ {
		for which := range 3 {
			phi[3*(j-lo)+which] = tried(j, which)
		}
	}
	if b.panels[worker] == nil {
		b.panels[worker] = make([]float64, dispersionRows*f.columns)
	}
	panel := b.panels[worker]
	for from := 0; from < f.n; from += dispersionRows {
		if ctx.Err() != nil {
			return
		}
		rows := min(dispersionRows, f.n-from)
		f.kernels.Gemm(false, false, rows, width, f.r, 1, f.w[from*f.r:], f.r, f.h[lo:], f.m, 0, panel, width)
		for i := range rows {
			for at, y := range panel[i*width : (i+1)*width] {
				y = max(y, denominator)
				if k := f.data.known; k != nil {
					y *= k.v[(from+i)*f.m+lo+at]
				}
				for which, p := range phi[3*at : 3*at+3] {
					sums[3*at+which] += float64(y * logRatio(p*max(panel[i*width+at], denominator)))
				}
			}
		}
	}
	parts := make([]float64, 3*width)
	f.ofColumns(lo, hi, func(i, j int, x, v float64) {
		at := 3 * (j - lo)
		y := max(blas.Dot(f.w[i*f.r:(i+1)*f.r], f.ht[j*f.r:(j+1)*f.r]), denominator)
		for which, p := range phi[at : at+3] {
			sums[at+which] += v * float64(x*math.Log1p(p*y))
			parts[at+which] -= v * risingLogs(x, p)
		}
	})
	for j := lo; j < hi; j++ {
		at, best := 3*(j-lo), 1
		for _, which := range []int{0, 2} {
			if sums[at+which]+parts[at+which] < sums[at+best]+parts[at+best] {
				best = which
			}
		}
		if best == 1 {
			low, here, high := sums[at]+parts[at], sums[at+1]+parts[at+1], sums[at+2]+parts[at+2]
			if bend := low - 2*here + high; bend > 0 {
				b.steps[j] = max(b.steps[j]*min(math.Abs(low-high)/(2*bend), 0.5), dispersionLastStep)
			}
			continue
		}
		b.steps[j] = min(2*b.steps[j], dispersionFirstStep)
		changed[j] = changed[j] || phi[at+best] != b.phi[j]
		b.phi[j], b.parts[j] = phi[at+best], parts[at+best]
	}
}
