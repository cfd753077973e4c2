package nmf

import "context"

// L21 is Σᵢ ‖(X − WH)ᵢ‖₂ (Kong et al. 2011): samples with large residuals count less.
// A sample's weight cancels where it is encoded by itself.
var L21 = &Loss{
	name: "l21",
	algorithms: map[string]algorithm{
		Multiplicative: {updates: func(f *factorization, g *graphTerm, _ Options) updates {
			return residualLengths{&squaredError{factorization: f, graph: g, sample: lengthOf}}
		}, weighted: func(f *factorization, _ Options) updates { return newEntryUpdates(f, entryLengths) }},
	},
	encodedBy: Frobenius,
	sparse:    true,
	memory:    memory{tiles: 1, rows: 1},
	degree:    func(Options) float64 { return 2 },
}

// minResidual is the floor of the residuals whose inverses weight the samples.
const minResidual = 1e-12

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

// lengthOf is the loss of a residual, and the weight that its sample has by it.
func lengthOf(e float64) (loss, weight float64) { return e, 1 / max(e, minResidual) }

// residualLengths is the updates of L2,1: the updates of the squared error with weights.
type residualLengths struct{ *squaredError }

func (u residualLengths) point(context.Context) (Point, error) {
	return u.measured(*u.sums.loss, *u.sums.squares), nil
}

func (u residualLengths) plan() string {
	if u.data.Sparse != nil {
		return "L2,1: products with the stored entries, residuals of Gram forms, and row by row where these cancel"
	}
	return "L2,1: products with the data once each, residuals tile by tile, one pass over the data an iteration"
}
