package nonnegative

import (
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	softest    = 128  // a minimisation begins with a penalty of the norm over this
	rivalSteps = 200  // a rival search leaves its own penalty after this many steps
	minMetric  = 1e-3 // of the norm: diagonal entries below it count as this
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
	factor  float64 // A is this many times C
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
	inner       []float64 // UᵀU for the current U
	own         []float64 // diag(UᵀAU)
	columns     []float64 // squares of the columns of AU
	pool        *pool
	blocks      int
	partial     []float64
	sums        []float64
	moved       float64 // the share of d that was stepped; 0: d is not a step
	step        float64 // of Barzilai and Borwein
	taken       int
	residual    float64
	weigh       func()  // sets s for the current U; nil: s is given
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
			g.metric[i] = math.Abs(v) + minMetric*o.Norm
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

const (
	hardest     = 64   // α=auto is at most this many norms
	overlap     = 64   // it doubles while ‖UᵀU − I‖_F exceeds √p over this
	softSteps   = 100  // a penalty that is too soft gets this many steps
	softResidue = 10   // or ends at a residual of this many tolerances
	fallSteps   = 10   // the fall of the objective is that over this many steps
	minFall     = 1e-6 // of the norm: objectives below it count as this
	lost        = 1e-3 // a column whose square is less begins again as the penalty grows
)

// descent is a part of a search.
type descent struct {
	alpha, tolerance float64
	doubling         bool // of α, while columns overlap
	most             int  // steps; 0: as many as are left
}

// run searches from the start, by one descent after the other.
func (g *gradient) run(ctx context.Context, plan ...descent) (*Nonnegative, error) {
	r := &Nonnegative{}
	clear(g.u)
	for i := range g.n {
		copy(g.u[i*g.w:i*g.w+g.p], g.start[i*g.p:i*g.p+g.p])
	}
	g.alpha = plan[0].alpha
	g.refresh()
	g.record(r)
	for _, d := range plan {
		if err := g.descend(ctx, d, r); err != nil {
			return nil, err
		}
	}
	g.Progress(1)
	r.KKT, r.Alpha = g.residual, g.alpha
	r.U = make([]float64, 0, g.n*g.p)
	for i := range g.n {
		r.U = append(r.U, g.u[i*g.w:i*g.w+g.p]...)
	}
	r.S = slices.Clone(g.scale)
	return r, ctx.Err()
}

// record keeps the result of the current panel.
func (g *gradient) record(r *Nonnegative) {
	r.Objective, r.Orthogonality = append(r.Objective, g.objective()), append(r.Orthogonality, g.orthogonality())
	r.Penalized = append(r.Penalized, g.value())
}

// begin takes another penalty from here on.
func (g *gradient) begin(alpha float64, r *Nonnegative) {
	g.alpha, r.Stage = alpha, r.Iterations
	g.restart()
	r.Penalized[r.Stage] = g.value()
}

// descend steps until the residual and the fall of the objective are small.
func (g *gradient) descend(ctx context.Context, d descent, r *Nonnegative) error {
	g.begin(d.alpha, r)
	fresh := false // AU is not updated but computed
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.look()
		ended := g.residual <= d.tolerance && g.fallen(r.Penalized[r.Stage:], d.tolerance) && d.tolerance > 0
		soft := ended || (r.Iterations-r.Stage+1)%softSteps == 0 || g.residual <= softResidue*d.tolerance
		switch {
		case soft && d.doubling && g.alpha < hardest*g.Norm && g.orthogonality() > math.Sqrt(float64(g.p))/overlap:
			g.revive()
			g.begin(2*g.alpha, r)
			continue
		case ended && !fresh:
			g.refresh()
			fresh = true
			continue
		}
		if r.Converged = ended; ended || r.Iterations == g.Iterations || d.most > 0 && r.Iterations-r.Stage == d.most {
			return nil
		}
		if !g.advance() {
			if fresh { // F falls no further within rounding
				r.Converged = g.residual <= d.tolerance && d.tolerance > 0
				return nil
			}
			g.refresh()
			g.restart()
			fresh = true
			continue
		}
		fresh = false
		r.Iterations++
		g.record(r)
		g.Watch(r.Objective[len(r.Objective)-1])
		g.Progress(float64(r.Iterations) / float64(g.Iterations))
	}
}

// revive gives columns that a soft penalty has let vanish their start again. A column of
// zeros is stationary under any penalty, and what a harder one makes of one that is all but
// zero is decided by rounding.
func (g *gradient) revive() {
	any := false
	for q := range g.p {
		if g.inner[q*g.w+q] >= lost {
			continue
		}
		any = true
		for i := range g.n {
			g.u[i*g.w+q] = g.start[i*g.p+q]
		}
	}
	if any {
		g.refresh()
	}
}

// restart forgets the steps before and takes a short one next.
func (g *gradient) restart() {
	g.moved = 0
	g.step = slices.Min(g.metric) / (g.Norm + 2*g.alpha)
	g.weight()
}

// fallen reports whether F has fallen by that share at most over the last steps.
func (g *gradient) fallen(values []float64, tolerance float64) bool {
	last := len(values) - 1
	fall := values[max(last-fallSteps, 0)] - values[last]
	return last >= fallSteps && fall <= tolerance*max(math.Abs(values[last]), minFall*g.Norm)
}

// weight sets ω for the current s and α.
func (g *gradient) weight() {
	for q, s := range g.scale {
		for r, t := range g.scale {
			g.omega[q*g.p+r] = g.kappa*s*t + g.alpha/2
		}
	}
}

// value is F.
func (g *gradient) value() float64 {
	t := g.constant
	for q, s := range g.scale {
		t += s * g.own[q]
		for r, v := range g.inner[q*g.w : q*g.w+g.p] {
			t += g.kappa * s * g.scale[r] * v * v
		}
	}
	o := g.orthogonality()
	return t + g.alpha/2*o*o
}

// orthogonality is ‖UᵀU − I‖_F.
func (g *gradient) orthogonality() float64 { return awayFromIdentity(g.inner, g.w, g.p) }

// awayFromIdentity is ‖G − I‖_F of the p × p corner of a w × w matrix.
func awayFromIdentity(gram []float64, w, p int) float64 {
	var t float64
	for q := range p {
		for r, v := range gram[q*w : q*w+p] {
			if r == q {
				v--
			}
			t += v * v
		}
	}
	return math.Sqrt(t)
}

// advance takes a step, and reports whether there was one that lowers F.
func (g *gradient) advance() bool {
	g.pool.run(g.blocks, g.stepBlock)
	g.productOf, g.product = g.d, g.ad
	g.c.begin(g.w, g.pool.size(), g.d)
	g.over(g.lineBlock)
	t := g.line()
	if g.moved = t; t == 0 {
		return false
	}
	g.over(g.moveBlock)
	g.settle()
	return true
}

// refresh computes AU and what depends on it.
func (g *gradient) refresh() {
	g.c.begin(g.w, g.pool.size(), g.u)
	g.productOf, g.product = g.u, g.au
	g.pool.run(g.blocks, g.multiplyBlock)
	g.over(g.gramBlock)
	g.settle()
}

// settle takes the Grams over, and the weights that they give.
func (g *gradient) settle() {
	w := g.w
	copy(g.inner, g.grams[:w*w])
	for q := range g.p {
		g.own[q], g.columns[q] = g.grams[w*w+q*w+q], g.sums[2*w*w+q]
	}
	if g.weigh != nil {
		g.weigh()
		g.weight()
	}
}
