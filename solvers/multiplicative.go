package solvers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Updates are the rules by which [Maximize] and [FitNMMS] step.
const (
	// UpdatePaper is U ∘ √((C⁺U + U·UᵀC⁻U)/(C⁻U + U·UᵀC⁺U)) (Zafeiriou and Laskaris
	// 2010, eqs 3 and 12), Oja's flow in multiplicative form.
	UpdatePaper = "paper"
	// UpdatePenalty is the minimum of a majoriser of −tr(UᵀCU) + (α/2)‖UᵀU − I‖², which
	// therefore never increases.
	UpdatePenalty = "penalty"
	// UpdateGradient descends on the objective of UpdatePenalty by projected gradients
	// of Barzilai and Borwein's length, each to the least value along it, so that the
	// objective never increases either.
	UpdateGradient = "gradient"
)

// Multiplicative are the options of [Maximize] and [FitNMMS]. The zero value
// runs no iteration.
type Multiplicative struct {
	Update     string // "paper" (also for ""), "penalty" or "gradient"
	Iterations int    // at most
	// Tolerance stops a multiplicative rule when ‖U′ − U‖_F/‖U‖_F falls below; "gradient"
	// when the residual KKT and the relative fall of the penalised objective over ten
	// steps do. 0: never.
	Tolerance float64
	// Alpha is the weight of the penalty, the same throughout. 0 (Maximize alone), for
	// "penalty": Norm times 1, 2, 4, … 64, for a seventh of the iterations each; for
	// "gradient": Norm, of a minimum a 128th of it, doubled while ‖UᵀU − I‖_F > √p/64.
	Alpha float64
	Norm  float64 // ‖C‖₂ or an estimate
	// Rivals are penalties, in norms, under which "gradient" with Alpha = 0 begins from u
	// anew, to end under that of the first search; the best end is kept.
	Rivals []float64
	// Spectral is ‖M‖₂ or an estimate, for the residual; 0: Norm.
	Spectral float64
	// Normalize scales the columns to unit length after every step.
	Normalize bool
	Threads   int // 0: all cores
	Progress  func(done float64)
	// Watch gets the objective after every iteration, before Progress.
	Watch func(objective float64)
}

// Nonnegative is what an iteration found.
type Nonnegative struct {
	U []float64 // n × p, row-major, no entry below [blas.PanelFloor]
	// S are the weights of [FitNMMS].
	S []float64
	// Objective is tr(UᵀMU) for C = ±M + σI, or what FitNMMS minimises: of the
	// start and after every iteration.
	Objective []float64
	// Orthogonality is ‖UᵀU − I‖_F, likewise.
	Orthogonality []float64
	// Penalized is the objective with its penalty, likewise, of "gradient" alone. It
	// never increases while α stays, from Penalized[Stage] on; Alpha is α there.
	Penalized  []float64
	Stage      int
	Alpha      float64
	KKT        float64 // the scaled residual of the conditions for a minimum, of U
	Iterations int
	Converged  bool // the tolerance was reached (in the last stage)
}

// stages is the number of values that the weight of the penalty takes in turn.
const stages = 7

// Maximize looks for max tr(UᵀCU) under U ≥ 0, UᵀU = I from the n × p start u,
// whose zeros are raised to the floor. The orthogonality of the result is soft:
// see Nonnegative.Orthogonality, and [Round]. A start with negative or
// non-finite entries, or of another size, is an error, and so is divergence,
// which the update "paper" with C negative on the subspace (the paper's rule for
// minimisation as printed) is prone to. One pass over C an iteration, and
// 8np² + O(np) flops.
func Maximize(ctx context.Context, c Signed, p int, u []float64, o Multiplicative) (*Nonnegative, error) {
	if o.Update == UpdateGradient {
		return descendTrace(ctx, c, p, u, o)
	}
	it, err := newIteration(c, p, u, o)
	if err != nil {
		return nil, err
	}
	defer it.pool.close()
	it.residual = func(alpha float64) float64 { return it.kkt(-1, 0, alpha, alpha == 0) }
	it.objective = func() float64 { return ownTrace(c, it.trace(), it.norm()) }
	switch {
	case o.Update == UpdatePaper || o.Update == "":
		return it.run(ctx, []stage{{steps: o.Iterations, prepare: it.preparePaper, update: it.updatePaper}})
	case o.Update != UpdatePenalty:
		return nil, unknownUpdate(o.Update)
	case !(o.Alpha > 0 || o.Norm > 0):
		return nil, fmt.Errorf("solvers: update %s wants a positive weight or norm", UpdatePenalty)
	}
	penalize := func(steps int, alpha float64) stage {
		return stage{steps: steps, alpha: alpha, prepare: func() { it.preparePenalty(alpha) }, update: it.updatePenalty}
	}
	if o.Alpha > 0 {
		return it.run(ctx, []stage{penalize(o.Iterations, o.Alpha)})
	}
	var plan []stage
	for s := range stages {
		steps := o.Iterations / stages
		if s == stages-1 {
			steps = o.Iterations - s*steps
		}
		plan = append(plan, penalize(steps, math.Ldexp(o.Norm, s)))
	}
	return it.run(ctx, plan)
}

func unknownUpdate(name string) error {
	return fmt.Errorf("solvers: update %q; give %s, %s or %s", name, UpdatePaper, UpdatePenalty, UpdateGradient)
}

// iteration is a panel under a multiplicative rule.
type iteration struct {
	Multiplicative
	c         Signed
	n, p, w   int
	u, a, b   []float64 // the panel, C⁺U and C⁻U; b is nil where C⁻ = 0
	grams     []float64 // UᵀU, UᵀC⁺U, UᵀC⁻U, each w × w
	partial   []float64 // of each block
	moved     [][4]float64
	floor     []float64
	quartic   []float64 // U ↦ U·quartic is the quartic term of a penalty
	scale     []float64
	linear    float64
	spare     []float64 // p numbers
	pool      *pool
	blocks    int
	objective func() float64
	residual  func(alpha float64) float64
	after     func(first bool) // between the products and the objective; nil: nothing

	evaluateBlock, updatePaper, updatePenalty, normalizeBlock func(worker, block int)
}

// stage is a run of steps under one rule.
type stage struct {
	steps   int
	alpha   float64                 // of the penalty; 0: there is none
	prepare func()                  // from the Grams, before each step
	update  func(worker, block int) // of the rows of a block, written over a
}

func newIteration(c Signed, p int, u []float64, o Multiplicative) (*iteration, error) {
	n := c.Order()
	if p < 1 || p > n {
		return nil, fmt.Errorf("solvers: %d columns asked of a matrix of order %d; give a number from 1 to %d", p, n, n)
	}
	if len(u) != n*p {
		return nil, fmt.Errorf("solvers: a start of %d numbers for %d × %d", len(u), n, p)
	}
	for i, v := range u {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("solvers: row %d, column %d (counting from 1) of the start is %v; give numbers ≥ 0", i/p+1, i%p+1, v)
		}
	}
	if o.Spectral == 0 {
		o.Spectral = o.Norm
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	if o.Watch == nil {
		o.Watch = func(float64) {}
	}
	w := c.width(p)
	it := &iteration{Multiplicative: o, c: c, n: n, p: p, w: w, u: make([]float64, n*w), a: make([]float64, n*w),
		grams: make([]float64, 3*w*w), floor: make([]float64, w), quartic: make([]float64, w*w), scale: make([]float64, w), spare: make([]float64, p)}
	if !c.oneSided() {
		it.b = make([]float64, n*w)
	}
	for i := range n {
		for q, v := range u[i*p : i*p+p] {
			it.u[i*w+q] = max(v, blas.PanelFloor)
		}
	}
	for q := range p {
		it.floor[q], it.scale[q] = blas.PanelFloor, 1
	}
	it.blocks = (n + c.block() - 1) / c.block()
	it.partial, it.moved = make([]float64, it.blocks*3*w*w), make([][4]float64, it.blocks)
	it.pool = newPool(blas.Threads(o.Threads), it.blocks)
	it.bind()
	return it, nil
}

// run evaluates, steps, and evaluates once more.
func (it *iteration) run(ctx context.Context, plan []stage) (*Nonnegative, error) {
	total := 0
	for _, s := range plan {
		total += s.steps
	}
	r := &Nonnegative{Objective: make([]float64, 0, total+1), Orthogonality: make([]float64, 0, total+1)}
	if err := it.evaluate(r, true); err != nil {
		return nil, err
	}
	for at, s := range plan {
		r.Converged = false
		for range s.steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			small := it.step(s)
			if err := it.evaluate(r, false); err != nil {
				return nil, err
			}
			r.Iterations++
			it.Watch(r.Objective[len(r.Objective)-1])
			it.Progress(float64(r.Iterations) / float64(max(total, 1)))
			if small < it.Tolerance {
				r.Converged = at == len(plan)-1
				break
			}
		}
	}
	it.Progress(1)
	r.KKT = it.residual(plan[len(plan)-1].alpha)
	r.U = make([]float64, 0, it.n*it.p)
	for i := range it.n {
		r.U = append(r.U, it.u[i*it.w:i*it.w+it.p]...)
	}
	r.S = slices.Clone(it.scale[:it.p])
	return r, ctx.Err()
}
