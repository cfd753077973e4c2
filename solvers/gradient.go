package solvers

import (
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	softest     = 128  // a minimisation begins with a penalty of the norm over this
	rivalSteps  = 200  // a rival search leaves its own penalty after so many steps
	leastMetric = 1e-3 // of the norm: diagonal entries below it count as this
)

// gradient is a panel that descends to a minimum of
//
//	F(U) = Σ_q s_q(UᵀAU)_qq + κ Σ_qr s_q s_r (UᵀU)²_qr + (α/2)‖UᵀU − I‖²   under U ≥ 0
//
// by projected gradients with Barzilai and Borwein's steps (Birgin, Martínez and
// Raydan 2000). Along a step F is of degree four, and its minimum there is
// found without another product: F never rises. It has κ = 0 and s = 1 but in
// nonnegative multidimensional scaling, where A = −2K and κ = 1.
type gradient struct {
	Multiplicative
	c       Signed
	factor  float64 // A is so many times C
	kappa   float64
	n, p, w int
	start   []float64 // n × p
	alpha   float64
	scale   []float64 // s
	omega   []float64 // κ·s_q·s_r + α/2, p × p
	pull    []float64 // 2ω ∘ UᵀU, p × p: half of the gradient of the terms without A is U times it

	u, au, half []float64 // the panel, AU, and half of the gradient
	d, ad       []float64 // the step that is tried, AD
	minus       []float64 // C⁻ times a panel; nil where C⁻ = 0
	metric      []float64 // the gradient is divided by, n
	grams       []float64 // UᵀU and UᵀAU, or DᵀD and DᵀU, each w × w
	inner       []float64 // UᵀU as it stands
	own         []float64 // diag(UᵀAU)
	columns     []float64 // squares of the columns of AU
	pool        *pool
	blocks      int
	partial     []float64
	sums        []float64
	moved       float64 // the share of d that was stepped; 0: d is no step
	step        float64 // of Barzilai and Borwein
	taken       int
	residual    float64
	weigh       func()  // sets s for U as it stands; nil: s is given
	constant    float64 // of F
	objective   func() float64

	productOf []float64 // the panel that multiplyBlock multiplies, and where it writes
	product   []float64

	multiplyBlock, gramBlock, lookBlock, stepBlock, lineBlock, moveBlock func(worker, block int)
}

// newGradient takes over what a multiplicative iteration has set up.
func newGradient(c Signed, factor float64, p int, u []float64, o Multiplicative) (*gradient, error) {
	it, err := newIteration(c, p, u, o)
	if err != nil {
		return nil, err
	}
	n, w := it.n, it.w
	g := &gradient{Multiplicative: it.Multiplicative, c: c, factor: factor, n: n, p: p, w: w, start: u,
		u: make([]float64, n*w), au: make([]float64, n*w), half: make([]float64, n*w), d: it.u, ad: it.a, minus: it.b,
		metric: slices.Repeat([]float64{1}, n), scale: slices.Repeat([]float64{1}, p), omega: make([]float64, p*p), pull: make([]float64, p*p),
		inner: make([]float64, w*w), own: make([]float64, p), columns: make([]float64, p),
		pool: it.pool, blocks: it.blocks, sums: make([]float64, 2*w*w+w+4)}
	g.grams, g.partial = g.sums[:2*w*w], make([]float64, g.blocks*len(g.sums))
	g.bind()
	return g, nil
}

// descendTrace looks for min −tr(UᵀCU) + (α/2)‖UᵀU − I‖².
func descendTrace(ctx context.Context, c Signed, p int, u []float64, o Multiplicative) (*Nonnegative, error) {
	if !(o.Norm > 0) {
		return nil, fmt.Errorf("solvers: update %s wants a positive norm", UpdateGradient)
	}
	g, err := newGradient(c, -1, p, u, o)
	if err != nil {
		return nil, err
	}
	defer g.pool.close()
	g.objective = func() float64 {
		var trace, norm float64
		for q, v := range g.own {
			trace, norm = trace-v, norm+g.inner[q*g.w+q]
		}
		return ownTrace(c, trace, norm)
	}
	alpha := o.Norm
	if sign, _ := c.terms(); sign < 0 {
		// Columns of wildly different scale make the problem stiff.
		for i, v := range c.diagonal() {
			g.metric[i] = math.Abs(v) + leastMetric*o.Norm
		}
		alpha /= softest
	}
	if o.Alpha > 0 {
		return g.run(ctx, descent{alpha: o.Alpha, tolerance: o.Tolerance})
	}
	best, err := g.run(ctx, descent{alpha: alpha, tolerance: o.Tolerance, doubling: true})
	if err != nil || !best.Converged {
		return best, err
	}
	for _, norms := range o.Rivals {
		rival, err := g.run(ctx, descent{alpha: norms * o.Norm, tolerance: softResidue * o.Tolerance, most: rivalSteps}, descent{alpha: best.Alpha, tolerance: o.Tolerance})
		if err != nil {
			return nil, err
		}
		if rival.Converged && rival.Penalized[rival.Iterations] < best.Penalized[best.Iterations] {
			best = rival
		}
	}
	return best, nil
}
