package nonnegative

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
	// Rivals are penalties, in norms, under which "gradient" with Alpha = 0 starts again
	// from u, to end under the penalty of the first search; the best end is kept.
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
		return nil, fmt.Errorf("solvers: %d columns requested of a matrix of order %d; give a number from 1 to %d", p, n, n)
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

// divergedAt is the size of an entry from which an iteration counts as diverged.
const divergedAt = 1e100

// bind makes the functions of the phases once, so that no step allocates.
func (it *iteration) bind() {
	w, block := it.w, it.c.block()
	rows := func(b int) (lo, hi int) { return b * block, min((b+1)*block, it.n) }
	it.evaluateBlock = func(worker, b int) {
		lo, hi := rows(b)
		it.c.rows(worker, lo, hi, it.u, it.a, it.b)
		blas.PanelGrams(w, lo, hi, it.u, it.a, it.b, it.partial[b*3*w*w:(b+1)*3*w*w])
	}
	it.updatePaper = func(_, b int) {
		lo, hi := rows(b)
		it.moved[b] = [4]float64{}
		blas.PanelRatio(w, it.p, lo, hi, it.u, it.a, it.b, it.gram(1), it.gram(2), it.floor, &it.moved[b])
	}
	it.updatePenalty = func(_, b int) {
		lo, hi := rows(b)
		it.moved[b] = [4]float64{}
		blas.PanelQuartic(w, it.p, lo, hi, it.u, it.a, it.b, it.quartic, it.scale, it.floor, it.linear, &it.moved[b])
	}
	it.normalizeBlock = func(_, b int) {
		lo, hi := rows(b)
		for _, panel := range [][]float64{it.u, it.a, it.b} {
			if panel == nil {
				continue
			}
			for i := lo; i < hi; i++ {
				for q := range it.p {
					panel[i*w+q] *= it.unit(q)
				}
			}
		}
	}
}

// gram returns UᵀU, UᵀC⁺U or UᵀC⁻U.
func (it *iteration) gram(which int) []float64 {
	size := it.w * it.w
	return it.grams[which*size : (which+1)*size]
}

// trace is tr(UᵀCU), norm is tr(UᵀU).
func (it *iteration) trace() float64 {
	var t float64
	for q := range it.p {
		t += it.gram(1)[q*it.w+q] - it.gram(2)[q*it.w+q]
	}
	return t
}

func (it *iteration) norm() float64 {
	var t float64
	for q := range it.p {
		t += it.gram(0)[q*it.w+q]
	}
	return t
}

// orthogonality is ‖UᵀU − I‖_F.
func (it *iteration) orthogonality() float64 {
	var t float64
	for q := range it.p {
		for r, v := range it.gram(0)[q*it.w : q*it.w+it.p] {
			if r == q {
				v--
			}
			t += v * v
		}
	}
	return math.Sqrt(t)
}

// unit is the factor that scales column q to unit length.
func (it *iteration) unit(q int) float64 { return 1 / math.Sqrt(it.gram(0)[q*it.w+q]) }

// evaluate computes the products and Grams of the panel as it is and records
// what they show.
func (it *iteration) evaluate(r *Nonnegative, first bool) error {
	it.c.begin(it.w, it.pool.size(), it.u)
	it.pool.run(it.blocks, it.evaluateBlock)
	// Sums of partial Grams in the order of the blocks, whoever computed them.
	clear(it.grams)
	used := it.grams
	if it.b == nil {
		used = used[:2*it.w*it.w]
	}
	for b := range it.blocks {
		for i, v := range it.partial[b*len(it.grams) : b*len(it.grams)+len(used)] {
			used[i] += v
		}
	}
	norm, trace := it.norm(), it.trace()
	if !(norm < divergedAt*divergedAt) || trace-trace != 0 {
		return fmt.Errorf("solvers: the update diverged after %d iterations (entries beyond %g); take update=%s, or %s with a shift that makes the problem a maximisation",
			len(r.Objective)-1, float64(divergedAt), UpdatePenalty, UpdatePaper)
	}
	if it.Normalize {
		it.pool.run(it.blocks, it.normalizeBlock)
		it.normalizeGrams()
	}
	if it.after != nil {
		it.after(first)
	}
	r.Objective = append(r.Objective, it.objective())
	r.Orthogonality = append(r.Orthogonality, it.orthogonality())
	return nil
}

func (it *iteration) normalizeGrams() {
	scale := it.spare[:0]
	for q := range it.p {
		scale = append(scale, it.unit(q))
	}
	for which := range 3 {
		g := it.gram(which)
		for q, s := range scale {
			for r, t := range scale {
				g[q*it.w+r] *= s * t
			}
		}
	}
}

// step replaces the panel and returns ‖U′ − U‖_F/‖U‖_F.
func (it *iteration) step(s stage) float64 {
	norm := it.norm()
	s.prepare()
	it.pool.run(it.blocks, s.update)
	it.u, it.a = it.a, it.u
	var moved float64
	for _, m := range it.moved {
		moved += (m[0] + m[1]) + (m[2] + m[3])
	}
	return math.Sqrt(moved / norm)
}

func (it *iteration) preparePaper() {}

// preparePenalty sets the quartic majoriser of −tr(UᵀCU) + (α/2)‖UᵀU − I‖² up.
func (it *iteration) preparePenalty(alpha float64) {
	for i, v := range it.gram(0) {
		it.quartic[i] = alpha * v
	}
	it.linear = alpha
}

// minOwn: where AU is smaller than this times the norms of A and of U, the
// residual is measured against that. Below it U is in the null space of A, within the accuracy of the
// data.
const minOwn = 1e-3

// ownTerm is ‖AUS‖_F or its floor, for the squares of ‖AUS‖_F and ‖US‖_F, and ‖A‖₂.
func ownTerm(product, size, norm float64) float64 {
	if t := max(math.Sqrt(product), minOwn*norm*math.Sqrt(size)); t > 0 {
		return t
	}
	return 1
}

// kkt is the scaled residual of the conditions of Karush, Kuhn and Tucker at the
// current panel: for A = ∓M and half of the gradient of the Lagrangian, H = AUS + UΛ,
//
//	‖min(τU, H)‖_F / T,   T = max(‖AUS‖_F, 10⁻³‖A‖₂‖US‖_F),   τ = T/‖U‖_F.
//
// Λ is the Λ of the penalty, or −UᵀAUS where the multipliers are used themselves. S is I
// but in multidimensional scaling, where A = −2K.
func (it *iteration) kkt(factor, kappa, alpha float64, multipliers bool) float64 {
	sign, sigma := it.c.terms()
	if multipliers {
		alpha = 0
	}
	lambda := make([]float64, it.p*it.p)
	for q := range it.p {
		for r := range it.p {
			at := q*it.w + r
			g := it.gram(0)[at]
			if multipliers {
				// From the left, so that column q of UΛ balances s_q·AU_q.
				lambda[q*it.p+r] = -factor * it.scale[r] * (it.gram(1)[at] - it.gram(2)[at])
				continue
			}
			lambda[q*it.p+r] = (2*kappa*it.scale[q]*it.scale[r] + alpha) * g
			if q == r {
				lambda[q*it.p+r] -= alpha
			}
		}
	}
	var product, size, norm float64
	each := func(visit func(u, own, half float64)) {
		for i := range it.n {
			u := it.u[i*it.w : i*it.w+it.p]
			for r, s := range it.scale[:it.p] {
				cu := it.a[i*it.w+r]
				if it.b != nil {
					cu -= it.b[i*it.w+r]
				}
				half := factor * s * cu
				for q, v := range u {
					half += v * lambda[q*it.p+r]
				}
				visit(u[r], factor*s*sign*(cu-sigma*u[r]), half)
				size += s * s * u[r] * u[r]
				norm += u[r] * u[r]
			}
		}
	}
	each(func(_, own, _ float64) { product += own * own })
	term := ownTerm(product, size, math.Abs(factor)*it.Spectral)
	var weight float64
	if norm > 0 { // a panel that has vanished is multiplied by it
		weight = term / math.Sqrt(norm)
	}
	var residual float64
	each(func(u, _, half float64) {
		e := min(weight*u, half)
		residual += e * e
	})
	return math.Sqrt(residual) / term
}
