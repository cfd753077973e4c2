package nmf

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// entryLoss is a loss whose entries have weights, as the weighted updates take it: what an
// entry adds to the numerators and denominators of a multiplicative step, each times the other
// factor. y are v·x.
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

// leastDenominator is the floor of denominators under weights, which may be small. It does
// no more than keep 0/0 from being NaN.
const leastDenominator = 1e-290

// entrySquares is Σ v(x − x̂)².
var entrySquares = &entryLoss{
	numerators:          func(y, _, _, to []float64) { copy(to, y) },
	denominators:        multiplied,
	denominatorsOfModel: true,
	measure:             entrySquaresOf,
	step: func(row, num, den []float64, p penalty) {
		p.addTo(den, row)
		blas.MultiplyRatios(row, leastDenominator, vanished, num, den)
	},
	penalties: 2,
}

// entryDivergence is Σ v(x log(x/x̂) − x + x̂).
var entryDivergence = &entryLoss{
	numerators: func(y, _, model, to []float64) {
		blas.Quotients(to[:len(y)], denominator, y, model)
	},
	denominators:      func(_, v, _, to []float64) { copy(to, v) },
	numeratorsOfModel: true,
	measure: func(y, v, model []float64) float64 {
		var sum float64
		for q, w := range v {
			if w == 0 {
				continue
			}
			t := w * model[q]
			sum += t - y[q]
			if y[q] > 0 {
				sum += y[q] * math.Log(y[q]/max(t, w*denominator))
			}
		}
		return sum
	},
	step: func(row, num, den []float64, p penalty) {
		for q, v := range row {
			if p.l2 > 0 {
				row[q] = divergenceStep(den[q]+p.l1, v*num[q], p.l2)
			} else {
				row[q] = flushTiny(v * num[q] / max(den[q]+p.l1, leastDenominator))
			}
		}
	},
	penalties: 1,
}

// entryLengths is Σᵢ (Σⱼ v(x − x̂)²)^½.
var entryLengths = &entryLoss{
	numerators:          entrySquares.numerators,
	denominators:        multiplied,
	denominatorsOfModel: true,
	measure:             entrySquaresOf,
	step:                entrySquares.step,
	sample:              lengthOf,
	root:                true,
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
