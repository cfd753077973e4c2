package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// entryUpdates are the multiplicative updates under dense weights of the entries. A pass over the
// data updates a block of rows of W and accumulates the sums for the next step of H: WH is formed
// twice, 12nmr flops an iteration.
type entryUpdates struct {
	*factorization
	rule   *entryLoss
	traced bool // the sums are of the loss as well
}

func (u *entryUpdates) prepare(ctx context.Context) error {
	u.traced = true
	return u.pass(ctx, u.accumulate)
}

func (u *entryUpdates) step(ctx context.Context, _ int, traced bool) error {
	u.traced = traced
	_ = blas.For(context.Background(), u.threads, u.r, 1, func(_, k, _ int) {
		sums := u.sums.num[2*k*u.m : 2*(k+1)*u.m]
		u.rule.step(u.h[k*u.m:(k+1)*u.m], sums[:u.m], sums[u.m:], u.penaltyH)
	})
	u.updateGram()
	return u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		u.stepRows(s, lo, hi)
		u.accumulate(s, lo, hi, sum)
	})
}

// entries are rows of V∘X and of V.
func (u *entryUpdates) entries(i int) (y, v []float64) {
	return u.data.Dense[i*u.m : (i+1)*u.m], u.data.known.v[i*u.m : (i+1)*u.m]
}

// weigh forms the rows of WH and their contributions to numerators and denominators.
func (u *entryUpdates) weigh(s *scratch, lo, hi int) {
	m := u.m
	u.modelRows(lo, hi, s.model)
	for i := range hi - lo {
		y, v := u.entries(lo + i)
		model := s.model[i*m : (i+1)*m]
		left, right := u.sides(s, i)
		u.rule.numerators(y, v, model, left)
		u.rule.denominators(y, v, model, right)
	}
}

// stepRows updates a block of rows of W. The weight of a sample cancels.
func (u *entryUpdates) stepRows(s *scratch, lo, hi int) {
	r, rows := u.r, hi-lo
	u.weigh(s, lo, hi)
	num, den := s.num[:rows*r], s.den[:rows*r]
	u.weightedProducts(s, rows, num, den)
	u.rule.step(u.w[lo*r:hi*r], num, den, u.penaltyW)
}

// accumulate adds a block's contributions to the sums of H, and measures the loss.
func (u *entryUpdates) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	u.weigh(s, lo, hi)
	w := u.w[lo*r : hi*r]
	if u.rule.sample != nil {
		copy(s.weighted, w)
		w = s.weighted[:rows*r]
	}
	for i := range rows {
		if !u.traced && u.rule.sample == nil {
			break
		}
		y, v := u.entries(lo + i)
		loss, squares, weight := u.rule.measured(y, v, s.model[i*m:(i+1)*m])
		*sum.loss += loss
		*sum.squares += squares
		if u.rule.sample != nil {
			blas.Scale(weight, w[i*r:(i+1)*r])
		}
	}
	u.kernels.Gemm(true, false, r, 2*m, rows, 1, w, r, s.tile, 2*m, sum.beta, sum.num, 2*m)
}

func (u *entryUpdates) point(ctx context.Context) (Point, error) {
	if !u.traced { // not announced: sum once more
		if err := u.prepare(ctx); err != nil {
			return Point{}, err
		}
	}
	return u.entryPoint(u.rule, *u.sums.loss, *u.sums.squares), nil
}

func (u *entryUpdates) plan() string {
	return "weighted entries: YC tile by tile, twice, in one pass over the data and their weights an iteration"
}

func (u *entryUpdates) normalize() { u.normalizeComponents(nil) }

// entryLoss is a loss whose entries have weights, in the form that the weighted updates take: the
// contribution of an entry to the numerators and denominators of a multiplicative step, each times
// the other factor. y are v·x.
type entryLoss struct {
	// numerators are y/x̂ or y, and denominators v or v·x̂, of entries with the models x̂.
	numerators, denominators func(y, v, model, to []float64)
	// ofModel says which of the two depend on the models.
	numeratorsOfModel, denominatorsOfModel bool
	// measure sums the loss of entries of weight v > 0.
	measure func(y, v, model []float64) float64
	// step is the multiplicative step of a row of a factor.
	step func(row, num, den []float64, p penalty)
	// sample is a sample's part of the loss, and its weight, by the root of what measure
	// sums; nil: all weigh the same.
	sample func(residual float64) (loss, weight float64)
	// penalties is how often a penalty counts: twice where the loss has no factor ½.
	penalties float64
	// root says that the loss has the unit of the root of the weights.
	root bool
}

// minDenominator is the floor of denominators under weights, which may be small. It does
// no more than keep 0/0 from being NaN.
const minDenominator = 1e-290

// entrySquares is Σ v(x − x̂)².
var entrySquares = &entryLoss{
	numerators:          func(y, _, _, to []float64) { copy(to, y) },
	denominators:        multiplied,
	denominatorsOfModel: true,
	measure:             entrySquaresOf,
	step: func(row, num, den []float64, p penalty) {
		p.addTo(den, row)
		blas.MultiplyRatios(row, minDenominator, vanished, num, den)
	},
	penalties: 2,
}

// multiplied is v·x̂.
func multiplied(_, v, model, to []float64) {
	for q, w := range v {
		to[q] = w * model[q]
	}
}

// entrySquaresOf is Σ v(x − x̂)² by the y = v·x.
func entrySquaresOf(y, v, model []float64) float64 {
	var sum float64
	for q, w := range v {
		if w > 0 {
			e := y[q] - w*model[q]
			sum += e / w * e
		}
	}
	return sum
}

// objective is the loss of weights that were divided by a unit, for the weights as they were.
func (l *entryLoss) objective(loss, unit float64) float64 {
	if l.root {
		unit = math.Sqrt(unit)
	}
	return loss * unit
}

// measured is a sample's part of the loss and of the squares, and its weight.
func (l *entryLoss) measured(y, v, model []float64) (loss, squares, weight float64) {
	loss = l.measure(y, v, model)
	if l.numeratorsOfModel {
		return loss, entrySquaresOf(y, v, model), 1
	}
	if l.sample == nil {
		return loss, loss, 1
	}
	squares = loss
	loss, weight = l.sample(math.Sqrt(squares))
	return loss, squares, weight
}

// entryPoint is the point of a loss and of the squares of the residuals.
func (f *factorization) entryPoint(l *entryLoss, loss, squares float64) Point {
	unit := f.data.known.unit
	penalty := l.penalties * f.penalties() * unit
	whole := l.objective(loss, unit) + penalty
	return Point{Objective: whole, Surrogate: whole, Residual: f.relative(squares), Penalty: penalty}
}
