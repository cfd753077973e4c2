package nmf

import "fmt"

// Beta is the β-divergence of Options.Beta, Σ d(x|x̂) with x̂ = (WH)ᵢⱼ and
//
//	d(x|y) = x^β/(β(β−1)) + y^β/β − x·y^(β−1)/(β−1),   x/y − log(x/y) − 1 for β = 0,
//
// and its limit, the Kullback–Leibler divergence, for β = 1; for β = 2 it is half the squared
// error. [Divergence] gives those two their own losses, which need less work. For β ≤ 0 it
// is infinite where the data are zero, and such data are refused ([ZeroError]).
//
// A step is one of majorization–minimization (Févotte and Idier 2011, Neural Computation
// 23:2421): A ∘ (N/D)^γ, which never raises the divergence. With an l2 and β < 2 it
// goes to the minimum of the majorizer by Newton's rule.
var Beta = &Loss{
	name: "beta",
	algorithms: map[string]algorithm{
		Multiplicative: {
			updates: func(f *factorization, _ *graphTerm, _ Options) updates { return newSeparable(f, betaOf(f)) },
			encode:  encodeSeparable(betaOf),
			solve:   solveSeparable(func(f *factorization) separableRule { rule := newBetaRule(f.shape, false); return &rule }),
			wFirst:  true,
			fixes:   true,
		},
	},
	sparse:    true,
	memory:    memory{tiles: 3, rows: 1, wide: true},
	checkData: func(d Data, o Options) error { return checkZeros(d, o.Beta) },
	degree:    func(o Options) float64 { return o.Beta },
}

// Divergence is the loss of a β: [Frobenius] for 2, [KL] for 1, else [Beta].
func Divergence(beta float64) *Loss {
	switch beta {
	case 2:
		return Frobenius
	case 1:
		return KL
	}
	return Beta
}

// ZeroError says where data are zero of which the divergence with a β ≤ 0 is infinite there.
type ZeroError struct {
	Row, Col int // counting from 0
	Beta     float64
}

func (e *ZeroError) Error() string {
	return fmt.Sprintf("nmf: row %d, column %d (counting from 1) of the data is 0, where the divergence with β = %v is infinite; give β > 0, or add a small number to all data",
		e.Row+1, e.Col+1, e.Beta)
}

// checkZeros refuses zeros where β forbids them.
func checkZeros(d Data, beta float64) error {
	if beta > 0 {
		return nil
	}
	for i := range d.Rows {
		if j := d.firstZero(i); j >= 0 {
			return &ZeroError{i, j, beta}
		}
	}
	return nil
}

// betaOf is the rule of the β of a factorization.
func betaOf(f *factorization) separableRule {
	rule := newBetaRule(f.shape, f.wFirst)
	return &rule
}
