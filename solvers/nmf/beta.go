package nmf

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/orthant-go/orthant/blas"
)

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
			updates: func(f *factorization, _ *graphTerm, _ Options) updates { return newBeta(f) },
			encode:  encodeBeta,
			solve:   solveBeta,
			wFirst:  true,
			fixes:   true,
		},
	},
	sparse:    true,
	memory:    memory{tiles: 3, rows: 1, wide: true},
	checkData: func(d Data, o Options) error { return checkZeros(d, o.Beta) },
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

// betaUpdates is the multiplicative updates for a β-divergence. WH is formed tile by tile, of
// sparse data too, as y^(β−1) is not zero where the data are.
type betaUpdates struct {
	*factorization
	betaRule
	traced bool
}

func newBeta(f *factorization) *betaUpdates {
	return &betaUpdates{factorization: f, betaRule: newBetaRule(f.shape, f.wFirst)}
}

func (u *betaUpdates) prepare(ctx context.Context) error {
	u.traced = true
	return u.sumSamples(ctx)
}

func (u *betaUpdates) step(ctx context.Context, _ int, traced bool) error {
	u.traced = traced
	switch {
	case u.fixed == WFixed:
		u.stepComponents()
		return u.sumSamples(ctx)
	case u.fixed == HFixed:
		u.traced = false // point forms the sums
		return u.overRows(ctx, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) })
	case u.wFirst:
		u.traced = false // likewise: the sums of the step are of H before it
		err := u.stepAndSum(ctx)
		u.stepComponents()
		return err
	}
	u.stepComponents()
	return u.stepAndSum(ctx)
}

// stepComponents updates H.
func (u *betaUpdates) stepComponents() {
	_ = blas.For(context.Background(), u.threads, u.r, 1, func(_, k, _ int) {
		sums := u.sums.num[2*k*u.m : 2*(k+1)*u.m]
		u.move(u.h[k*u.m:(k+1)*u.m], sums[:u.m], sums[u.m:], u.penaltyH, u.minH)
	})
	u.updateGram()
}

// stepAndSum updates W and accumulates the sums for the step of H.
func (u *betaUpdates) stepAndSum(ctx context.Context) error {
	err := u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		u.stepRows(s, lo, hi)
		u.accumulate(s, lo, hi, sum)
	})
	if err == nil {
		err = u.sumColumns(ctx)
	}
	return err
}

// sumSamples accumulates the sums for the step of H.
func (u *betaUpdates) sumSamples(ctx context.Context) error {
	if err := u.pass(ctx, u.accumulate); err != nil {
		return err
	}
	return u.sumColumns(ctx)
}

// stepRows updates a block of rows of W.
func (u *betaUpdates) stepRows(s *scratch, lo, hi int) {
	m, r, rows := u.m, u.r, hi-lo
	num, den := s.num[:rows*r], s.den[:rows*r]
	model := s.model[:rows*m]
	u.modelRows(lo, hi, model)
	if u.data.Sparse == nil {
		for i := range rows {
			left, right := u.sides(s, i)
			u.weigh(u.rows(s, lo+i, lo+i+1), model[i*m:(i+1)*m], left, right)
		}
		u.weightedProducts(s, rows, num, den)
	} else {
		clear(num)
		for i := lo; i < hi; i++ {
			for j, x := range positive(u.data.Sparse.Row(i)) {
				blas.Axpy(x*u.power(model[(i-lo)*m+j]), u.ht[j*r:(j+1)*r], num[(i-lo)*r:(i-lo+1)*r])
			}
		}
		u.liftModels(model)
		u.kernels.Gemm(false, false, rows, r, m, 1, model, m, u.ht, r, 0, den, r)
	}
	u.move(u.w[lo*r:hi*r], num, den, u.penaltyW, u.minW)
}

// positive are the columns and the entries of a sparse row that are above zero.
func positive(cols []int32, vals []float64) iter.Seq2[int, float64] {
	return func(yield func(j int, x float64) bool) {
		for p, j := range cols {
			if x := vals[p]; x > 0 && !yield(int(j), x) {
				return
			}
		}
	}
}

// accumulate adds a block's contributions to Wᵀ(X∘Y^(β−2)) and WᵀY^(β−1), Y = WH, and if requested
// to the divergence. For sparse data sumColumns computes the first.
func (u *betaUpdates) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	model := s.model[:rows*m]
	u.modelRows(lo, hi, model)
	w := u.w[lo*r : hi*r]
	if u.data.Sparse != nil {
		if u.traced {
			u.measureSparse(s, lo, hi, sum)
		}
		u.liftModels(model)
		u.kernels.Gemm(true, false, r, m, rows, 1, w, r, model, m, sum.beta, sum.num[m:], 2*m)
		return
	}
	if u.traced {
		data := u.rows(s, lo, hi)
		*sum.squares += blas.SquaredDistance(data, model)
		*sum.loss += u.divergence(data, model)
	}
	for i := range rows {
		left, right := u.sides(s, i)
		u.weigh(u.rows(s, lo+i, lo+i+1), model[i*m:(i+1)*m], left, right)
	}
	u.kernels.Gemm(true, false, r, 2*m, rows, 1, w, r, s.tile, 2*m, sum.beta, sum.num, 2*m)
}

// measureSparse adds the divergence of a block of sparse rows: of all entries as though they
// were zero, and the difference where they are not.
func (u *betaUpdates) measureSparse(s *scratch, lo, hi int, sum *partialSums) {
	var loss, squares float64
	model := s.model[:(hi-lo)*u.m]
	zeros := u.beta > 0 // else all entries are stored
	if zeros {
		loss = u.ofZeros(model, s.row)
	}
	for _, y := range model {
		squares += y * y
	}
	for i := lo; i < hi; i++ {
		row := model[(i-lo)*u.m : (i-lo+1)*u.m]
		for j, x := range positive(u.data.Sparse.Row(i)) {
			y := row[j]
			loss += u.of(x, y)
			if zeros {
				loss -= u.ofZero(y)
			}
			squares += x * (x - 2*y)
		}
	}
	*sum.loss += loss
	*sum.squares += squares
}

// sumColumns sums Wᵀ(X∘Y^(β−2)) of sparse data by the rows of Xᵀ.
func (u *betaUpdates) sumColumns(ctx context.Context) error {
	if u.data.Sparse == nil {
		return nil
	}
	r, a := u.r, u.data.transpose
	return u.byColumns(ctx, func(j, from, end int, to []float64) {
		h := u.ht[j*r : (j+1)*r]
		for i, x := range positive(a.Col[from:end], a.Val[from:end]) {
			w := u.w[i*r : (i+1)*r]
			blas.Axpy(x*u.power(blas.Dot(w, h)), w, to)
		}
	})
}

func (u *betaUpdates) point(ctx context.Context) (Point, error) {
	if !u.traced { // not announced, or of another H: sum once more
		u.traced = true
		if err := u.sumSamples(ctx); err != nil {
			return Point{}, err
		}
	}
	penalty := u.penalties()
	whole := *u.sums.loss + penalty
	return Point{Objective: whole, Surrogate: whole, Residual: u.relative(max(0, *u.sums.squares)), Penalty: penalty}, nil
}

func (u *betaUpdates) plan() string {
	return "powers of YC tile by tile, twice, in one pass over the data an iteration"
}

func (u *betaUpdates) normalize() { u.normalizeComponents(nil) }

// encodeBeta takes the step of W alone, again and again.
func encodeBeta(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	u := newBeta(f)
	for range e.options.Iterations {
		if f.stopped() {
			return
		}
		u.stepRows(s, lo, hi)
	}
}

// solveBeta minimizes the β-divergence of a block of samples, one by one: a few multiplicative
// steps, then projected Newton steps (Bertsekas 1982) until the residual is at most the
// tolerance. Both lower the divergence. It is convex for 1 ≤ β ≤ 2; else the minimum is the
// one that the start of [Encoder] leads to.
func solveBeta(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r, m := f.r, f.m
	rule := newBetaRule(f.shape, false)
	for i := lo; i < hi; i++ {
		d := newtonBeta{betaRule: &rule, f: f, c: s.code, w: f.w[i*r : (i+1)*r]}
		if a := f.data.Sparse; a != nil {
			d.x = s.code.spare[:m]
			clear(d.x)
			for j, v := range positive(a.Row(i)) {
				d.x[j] = v
			}
		} else {
			d.x = f.rows(s, i, i+1)
		}
		s.code.worst = max(s.code.worst, d.solve(e.options.Tolerance, e.options.Iterations))
	}
}

// newtonBeta is the penalised divergence of one sample as it is minimized.
type newtonBeta struct {
	*betaRule
	f *factorization
	c *codeScratch
	w []float64
	x []float64
}

// value is the divergence at w, and leaves wH in the scratch.
func (d *newtonBeta) value(w []float64) float64 {
	m, r := d.f.m, d.f.r
	d.f.kernels.Gemm(false, false, 1, m, r, 1, w, r, d.f.h, m, 0, d.c.model, m)
	return d.divergence(d.x, d.c.model[:m]) + d.f.penaltyW.value(w)
}

// gradient writes the gradient at the w of the last value, and its part without the sample:
// s = Y^(β−1)Hᵀ + l1 + l2·w. It returns the residual: max over k of |min(w_k s_k/Σ w_l s_l,
// g_k/s_k)|, which has no unit.
func (d *newtonBeta) gradient() float64 {
	r := d.f.r
	g, s, p := d.c.right, d.c.next, d.f.penaltyW
	clear(s)
	clear(g)
	for j, x := range d.x {
		y := d.model(d.c.model[j])
		t := d.power(y)
		row := d.f.ht[j*r : (j+1)*r]
		blas.Axpy(y*t, row, s)
		if x > 0 {
			blas.Axpy(-x*t, row, g)
		}
	}
	var whole, most float64
	for k, v := range d.w {
		s[k] += p.l1 + p.l2*v
		g[k] += s[k]
		whole += v * s[k]
	}
	for k, v := range d.w {
		if s[k] > 0 && whole > 0 {
			most = max(most, math.Abs(min(v*s[k]/whole, g[k]/s[k])))
		}
	}
	return most
}

func (d *newtonBeta) solve(tolerance float64, steps int) float64 {
	if total(d.x) == 0 {
		clear(d.w)
		return 0
	}
	value := d.value(d.w)
	residual := d.gradient()
	for t := range steps {
		if residual <= tolerance || d.f.stopped() {
			break
		}
		if t < multiplicativeFirst || !d.newton(residual, value) {
			d.multiply()
		}
		value = d.value(d.w)
		residual = d.gradient()
	}
	return residual
}

// multiply takes a multiplicative step.
func (d *newtonBeta) multiply() {
	p := d.f.penaltyW
	for k, s := range d.c.next {
		num := max(0, s-d.c.right[k])
		d.c.move[k], d.c.next[k] = num, max(0, s-p.l1-p.l2*d.w[k])
	}
	d.move(d.w, d.c.move, d.c.next, p, vanished)
}

// newton takes a projected Newton step from w, and reports whether one lowers the value. Of the
// second derivative y^(β−3)((β−1)y + (2−β)x) the parts below zero, which β < 1 and β > 2 have,
// are left out.
func (d *newtonBeta) newton(residual, value float64) bool {
	r, c, p := d.f.r, d.c, d.f.penaltyW
	q, g := c.squares, c.right
	var whole, scale float64
	for j, x := range d.x {
		y := d.model(c.model[j])
		t := d.power(y)
		c.root[j] = math.Sqrt(max(0, (d.beta-1)*t) + max(0, (2-d.beta)*x*t/y))
		scale += math.Abs(y * y * t)
	}
	d.f.weightedGram(c, c.root[:len(d.x)], nil)
	for k, s := range c.next {
		whole += d.w[k] * s
	}
	q.passive = q.passive[:0]
	clear(c.move)
	for k, s := range c.next {
		c.gram[k*r+k] += p.l2
		switch near := d.w[k]*s <= min(nearBound, residual)*whole; {
		case s == 0:
		case near && g[k] > 0:
			c.move[k] = -d.w[k]
		default:
			q.passive = append(q.passive, k)
			c.gram[k*r+k] *= 1 + damping
		}
	}
	c.solvePassive()
	slack := 1e-15 * (math.Abs(value) + scale)
	for length := 1.0; length > 1/float64(int(1)<<halvings); length /= 2 {
		promised := c.step(d.w, length)
		if promised < 0 && d.value(c.next) <= value+armijo*promised+slack {
			copy(d.w, c.next)
			return true
		}
	}
	_ = d.value(d.w)
	_ = d.gradient() // of the last value, with its part without the sample
	return false
}
