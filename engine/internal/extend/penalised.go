package extend

import "github.com/orthant-go/orthant/solvers/nmf"

// Names of what an extension with a penalty holds besides: see docs/model-format.md.
const (
	alphaNumber   = "alpha_w"
	l1RatioNumber = "l1_ratio"
	mostAlpha     = 0x1p1000
)

// Penalise makes new samples pay for their coordinates what the rows of W have paid.
func (e *Extension) Penalise(p nmf.Penalties) {
	if p.W > 0 {
		e.Numbers = mapsWith(mapsWith(e.Numbers, alphaNumber, p.W), l1RatioNumber, p.L1Ratio)
	}
}

// Penalised tells whether new samples pay for their coordinates.
func (e *Extension) Penalised() bool {
	_, there := e.Numbers[alphaNumber]
	return there
}

// penalties reads what Penalise wrote.
func (e *Extension) penalties() (p nmf.Penalties, err error) {
	if !e.Penalised() {
		return p, nil
	}
	if p.W, err = e.number(alphaNumber, 0, mostAlpha); err == nil {
		p.L1Ratio, err = e.number(l1RatioNumber, 0, 1)
	}
	return p, err
}

// proportional tells whether c·x has c times the coordinates of x: without a penalty, or where
// it scales as the loss does.
func proportional(o nmf.Options) bool {
	switch p := o.Penalties; {
	case p.W == 0:
		return true
	case o.Loss == nmf.KL:
		return p.L1Ratio == 1
	default:
		return o.Loss == nmf.Frobenius && p.L1Ratio == 0
	}
}
