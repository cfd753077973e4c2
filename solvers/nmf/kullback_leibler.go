package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// KL is the Kullback–Leibler divergence, Σ x log(x/x̂) − x + x̂ with x̂ = (WH)ᵢⱼ.
var KL = &Loss{
	name: "kl",
	algorithms: map[string]algorithm{
		Multiplicative: {
			updates: func(f *factorization, g *graphTerm, _ Options) updates {
				return &divergence{factorization: f, graph: g}
			},
			encode: encodeDivergence,
			solve:  solveDivergence,
			weighted: func(f *factorization, _ Options) updates {
				return newEntryUpdates(f, entryDivergence)
			},
			wFirst: true,
			fixes:  true,
		},
		MiniBatch: {
			encode:  encodeDivergence,
			solve:   solveDivergence,
			learner: newOnlineDivergence,
		},
	},
	sparse: true,
	memory: memory{tiles: 1},
	degree: func(Options) float64 { return 1 },
}

// divergence is the multiplicative updates for the Kullback–Leibler loss, with or
// without a graph (Lee and Seung 2001; Guan et al. 2011).
type divergence struct {
	*factorization
	graph    *graphTerm
	rowSumsH []float64
	traced   bool
}

func (u *divergence) prepare(ctx context.Context) error {
	if err := u.graph.apply(ctx); err != nil {
		return err
	}
	u.traced = true
	u.rowSumsH = u.rowSums()
	return u.sumSamples(ctx)
}

// sumSamples computes the sums for the step of H.
func (u *divergence) sumSamples(ctx context.Context) error {
	if u.data.Sparse != nil {
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *divergence) step(ctx context.Context, _ int, traced bool) error {
	u.traced = traced
	switch u.fixed {
	case WFixed:
		u.stepComponents()
		return u.sumSamples(ctx)
	case HFixed:
		u.traced = false
		return u.overRows(ctx, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) })
	}
	if u.wFirst {
		u.traced = false // the sums are of H before its step: point forms its own
	} else {
		u.stepComponents()
	}
	var err error
	if u.data.Sparse != nil {
		err = blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) })
		if err == nil {
			err = u.sumSparse(ctx)
		}
	} else {
		err = u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
			u.stepRows(s, lo, hi)
			u.accumulate(s, lo, hi, sum)
		})
	}
	if err != nil {
		return err
	}
	if u.wFirst {
		u.stepComponents()
	}
	return u.graph.apply(ctx)
}

// stepComponents updates H.
func (u *divergence) stepComponents() {
	if u.smooth != nil {
		u.stepSmooth()
		return
	}
	_ = blas.For(context.Background(), u.threads, u.r-u.kept, 1, func(_, k, _ int) {
		k += u.kept
		row := u.h[k*u.m : (k+1)*u.m]
		a := u.sums.columnSums[k] + u.penaltyH.l1
		if u.wFirst {
			for j, v := range u.sums.num[k*u.m : (k+1)*u.m] {
				row[j] = u.divideBySlope(row[j], v, a+u.penaltyH.l2*row[j], u.minH)
			}
			return
		}
		if q := 2*u.graph.ridge(k) + u.penaltyH.l2; q > 0 {
			for j, v := range u.sums.num[k*u.m : (k+1)*u.m] {
				row[j] = divergenceStep(a, row[j]*v, q)
			}
			return
		}
		f := 1 / max(a, denominator)
		for j, v := range u.sums.num[k*u.m : (k+1)*u.m] {
			row[j] = flushTiny(row[j] * v * f)
		}
	})
	u.updateGram()
	u.rowSumsH = u.rowSums()
}

// numerators computes rows of (X/(WH))·Hᵀ. Of sparse data, WH is formed only
// where x is not zero.
func (u *divergence) numerators(s *scratch, lo, hi int, num []float64) {
	m, r := u.m, u.r
	if u.data.Sparse != nil {
		clear(num)
		for i := lo; i < hi; i++ {
			cols, vals := u.data.Sparse.Row(i)
			u.addQuotients(cols, vals, u.w[i*r:(i+1)*r], u.ht, num[(i-lo)*r:(i-lo+1)*r])
		}
		return
	}
	model := s.model[:(hi-lo)*m]
	u.modelRows(lo, hi, model)
	blas.Quotients(model, u.floor, u.rows(s, lo, hi), model)
	u.kernels.Gemm(false, false, hi-lo, r, m, 1, model, m, u.ht, r, 0, num, r)
}

// stepRows updates a block of rows of W. With a graph or a penalty it minimizes the majorizer
// (Guan et al. 2011).
func (u *divergence) stepRows(s *scratch, lo, hi int) {
	r := u.r
	num := s.num[:(hi-lo)*r]
	u.numerators(s, lo, hi, num)
	var ridges []float64
	if u.smooth != nil {
		ridges = u.smooth.ridges
	}
	for i := lo; i < hi; i++ {
		row := u.w[i*r : (i+1)*r]
		if u.simplex {
			for k, f := range num[(i-lo)*r : (i-lo+1)*r] {
				row[k] *= f
			}
			divergenceOnSimplex(u.rowSumsH, row, ridges)
			continue
		}
		if u.wFirst {
			for k, f := range num[(i-lo)*r : (i-lo+1)*r] {
				row[k] = u.divideBySlope(row[k], f, u.rowSumsH[k]+u.penaltyW.l1+u.penaltyW.l2*row[k], vanished)
			}
			continue
		}
		for k, f := range num[(i-lo)*r : (i-lo+1)*r] {
			h := row[k]
			if u.graph == nil {
				if q := u.penaltyW.l2 + u.smooth.ridge(k); q > 0 {
					row[k] = divergenceStep(u.rowSumsH[k]+u.penaltyW.l1, h*f, q)
				} else {
					row[k] = flushTiny(h * f / max(u.rowSumsH[k]+u.penaltyW.l1, denominator))
				}
				continue
			}
			if h == 0 {
				continue
			}
			a, at := u.rowSumsH[k], i*r+k
			b := h*f + 2*u.graph.weight(k)*u.graph.minus[at]*h
			q := 2 * u.graph.weight(k) * u.graph.plus[at] / h
			row[k] = divergenceStep(a, b, q)
		}
	}
}

// accumulate adds a block's contributions to Wᵀ(X/(WH)), to the column sums of W and,
// where it is requested, to Σ x log(x/x̂).
func (u *divergence) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r := u.m, u.r
	u.modelRows(lo, hi, s.model)
	model := s.model[:(hi-lo)*m]
	data := u.rows(s, lo, hi)
	if u.traced {
		*sum.squares += blas.SquaredDistance(data, model)
	}
	blas.Quotients(model, u.floor, data, model)
	w := u.w[lo*r : hi*r]
	u.kernels.Gemm(true, false, r, m, hi-lo, 1, w, r, s.model, m, sum.beta, sum.num, m)
	for i := 0; i < len(w); i += r {
		for k, v := range w[i : i+r] {
			sum.columnSums[k] += v
		}
	}
	if u.traced {
		var loss float64
		for at, x := range data {
			if x > 0 {
				loss += x * math.Log(u.quotientOf(x, model[at]))
			}
		}
		*sum.loss += loss
	}
}

// addQuotients adds Σⱼ (xⱼ/a·bⱼ)·bⱼ, over entries of a row or column, to a row.
func (u *divergence) addQuotients(places []int32, x, a, b, to []float64) {
	r := u.r
	for p, j := range places {
		other := b[int(j)*r : int(j)*r+r]
		blas.Axpy(x[p]/max(blas.Dot(a, other), u.floor), other, to)
	}
}

// sumSparse computes Wᵀ(X/(WH)) by the rows of Xᵀ, and the column sums of W.
func (u *divergence) sumSparse(ctx context.Context) error {
	a := u.data.transpose
	err := u.byColumns(ctx, func(j, from, end int, to []float64) {
		u.addQuotients(a.Col[from:end], a.Val[from:end], u.ht[j*u.r:(j+1)*u.r], u.w, to)
	})
	if err != nil {
		return err
	}
	clear(u.sums.columnSums)
	for i := 0; i < len(u.w); i += u.r {
		blas.Axpy(1, u.w[i:i+u.r], u.sums.columnSums)
	}
	if !u.traced {
		return nil
	}
	var loss, inner float64
	for i := range u.n {
		cols, vals := u.data.Sparse.Row(i)
		for p, j := range cols {
			if x := vals[p]; x > 0 {
				model := blas.Dot(u.w[i*u.r:(i+1)*u.r], u.ht[int(j)*u.r:int(j)*u.r+u.r])
				loss += x * math.Log(u.quotientOf(x, x/max(model, u.floor)))
				inner += x * model
			}
		}
	}
	*u.sums.loss = loss
	u.crossGram(u.n, u.w, u.w, u.sums.gram)
	*u.sums.squares = max(0, u.totals.squares-2*inner+blas.Dot(u.sums.gram, u.gramH))
	return nil
}

func (u *divergence) point(ctx context.Context) (Point, error) {
	if !u.traced { // not announced: sum once more, with logarithms
		u.traced = true
		if err := u.sumSamples(ctx); err != nil {
			return Point{}, err
		}
	}
	loss := *u.sums.loss - u.totals.sum + blas.Dot(u.sums.columnSums, u.rowSumsH)
	reg, penalty := u.graph.value(), u.penalties()
	whole := loss + reg + penalty
	return Point{Objective: whole, Surrogate: whole, Residual: u.relative(*u.sums.squares), Regularizer: reg, Penalty: penalty}, nil
}

func (u *divergence) plan() string {
	return "D/(YC) tile by tile, twice, in one pass over the data an iteration"
}

func (u *divergence) normalize() {
	u.normalizeComponents(u.graph)
	u.rowSumsH = u.rowSums()
}

// encodeDivergence takes the step of W alone, again and again.
func encodeDivergence(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	u := divergence{factorization: f, rowSumsH: e.rowSums}
	for range e.options.Iterations {
		if f.stopped() {
			return
		}
		u.stepRows(s, lo, hi)
	}
}

// solveDivergence minimizes the Kullback–Leibler divergence of a block of samples, one by
// one: a few multiplicative steps, then projected Newton steps (Bertsekas 1982) until the
// residual is at most the tolerance. Both lower the divergence.
func solveDivergence(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	for i := lo; i < hi; i++ {
		d := newtonDivergence{f: f, c: s.code, sums: f.sumsOf(i, e.slopes, s.code), l2: f.penaltyW.l2, w: f.w[i*r : (i+1)*r]}
		if a := f.data.Sparse; a != nil {
			d.columns, d.x = a.Row(i)
		} else {
			d.x = f.rows(s, i, i+1)
		}
		s.code.worst = max(s.code.worst, d.solve(e.options.Tolerance, e.options.Iterations))
	}
}

// newtonDivergence is the divergence of one sample, f(w) = Σ s_k w_k + l2/2 Σ w_k² −
// Σ x_j log (wH)_j, s the row sums of H and the l1 of a penalty, as it is minimized. Zeros of the sample add no logarithm, nor do
// columns in which all components are zero.
type newtonDivergence struct {
	f       *factorization
	c       *codeScratch
	sums    []float64
	l2      float64
	w       []float64
	x       []float64
	columns []int32 // of x; nil: all
	total   float64 // Σ x_j of the columns that count
}

// multiplicativeFirst is the number of multiplicative steps before Newton's.
const multiplicativeFirst = 10

// row is the column j of H as x counts them.
func (d *newtonDivergence) row(q int) []float64 {
	if d.columns != nil {
		q = int(d.columns[q])
	}
	return d.f.ht[q*d.f.r : (q+1)*d.f.r]
}

// value is f(w), and leaves wH in the scratch; +Inf where (wH)_j = 0 and x_j is not.
func (d *newtonDivergence) value(w []float64) float64 {
	value := blas.Dot(d.sums, w)
	if d.l2 > 0 {
		value += d.l2 / 2 * blas.Dot(w, w)
	}
	for q, v := range d.x {
		if v <= 0 {
			continue
		}
		model := blas.Dot(d.row(q), w)
		d.c.model[q] = model
		if model > 0 {
			value -= v * math.Log(model)
		} else if !d.empty(q) {
			return math.Inf(1)
		}
	}
	return value
}

// empty reports whether all components are zero in a column.
func (d *newtonDivergence) empty(q int) bool {
	for _, h := range d.row(q) {
		if h > 0 {
			return false
		}
	}
	return true
}

// gradient writes the gradient s + l2·w − H(x/wH) at the w of the last value, and returns the
// residual: max over k of |min(w_k s_k/Σx, g_k/s_k)|, s_k with l2·w_k. It is dimensionless: it depends on
// the unit neither of the sample nor of the components.
func (d *newtonDivergence) gradient() float64 {
	g := d.c.right
	copy(g, d.sums)
	if d.l2 > 0 {
		blas.Axpy(d.l2, d.w, g)
	}
	for q, v := range d.x {
		if model := d.c.model[q]; v > 0 && model > 0 {
			blas.Axpy(-v/model, d.row(q), g)
		}
	}
	var most float64
	for k, v := range d.w {
		if s := d.sums[k] + d.l2*v; s > 0 {
			most = max(most, math.Abs(min(v*s/d.total, g[k]/s)))
		}
	}
	return most
}

func (d *newtonDivergence) solve(tolerance float64, steps int) float64 {
	d.total = 0
	for q, v := range d.x {
		if v > 0 && !d.empty(q) {
			d.total += v
		}
	}
	if d.total == 0 {
		clear(d.w)
		return 0
	}
	for k, s := range d.sums {
		if s == 0 {
			d.w[k] = 0
		}
	}
	value := d.value(d.w)
	residual := d.gradient()
	for t := range steps {
		if residual <= tolerance || d.f.stopped() {
			break
		}
		if t < multiplicativeFirst || !d.newton(residual, value) {
			// w ∘ (s − g)/s: the step of Lee and Seung, or with an l2 the step of [divergenceStep].
			for k, s := range d.sums {
				if d.l2 > 0 {
					w := d.w[k]
					d.w[k] = divergenceStep(s, w*max(s+d.l2*w-d.c.right[k], 0), d.l2)
				} else if s > 0 {
					if d.w[k] *= max(s-d.c.right[k], 0) / s; d.w[k] < vanished {
						d.w[k] = 0
					}
				}
			}
		}
		value = d.value(d.w)
		residual = d.gradient()
	}
	return residual
}

// newton takes a projected Newton step from w, and reports whether one lowers the value.
func (d *newtonDivergence) newton(residual, value float64) bool {
	r, c := d.f.r, d.c
	q, g := c.squares, c.right
	for at, v := range d.x {
		c.root[at] = 0
		if model := c.model[at]; v > 0 && model > 0 {
			c.root[at] = math.Sqrt(v) / model
		}
	}
	d.f.weightedGram(c, c.root[:len(d.x)], d.columns)
	q.passive = q.passive[:0]
	clear(c.move)
	for k, s := range d.sums {
		c.gram[k*r+k] += d.l2
		s += d.l2 * d.w[k]
		switch near := d.w[k]*s <= min(nearBound, residual)*d.total; {
		case s == 0:
		case near && g[k] > 0:
			c.move[k] = -g[k] / s * d.total / s
		default:
			q.passive = append(q.passive, k)
			c.gram[k*r+k] *= 1 + damping
		}
	}
	c.solvePassive()
	slack := 1e-15 * (math.Abs(value) + d.total)
	for length := 1.0; length > 1/float64(int(1)<<halvings); length /= 2 {
		promised := c.step(d.w, length)
		if promised < 0 && d.value(c.next) <= value+armijo*promised+slack {
			copy(d.w, c.next)
			return true
		}
	}
	_ = d.value(d.w) // the gradient is of the last value
	return false
}

// onlineDivergence learns by the Kullback–Leibler divergence.
type onlineDivergence struct {
	*Online
	updates *divergence
}

func newOnlineDivergence(l *Online) learner {
	return &onlineDivergence{l, &divergence{factorization: l.factorization, traced: true}}
}

func (u *onlineDivergence) sizes() (a, b int) { return u.r * u.m, u.r }

func (u *onlineDivergence) sum(ctx context.Context) (loss, squares float64, err error) {
	f := u.factorization
	u.updates.traced = true
	u.updates.rowSumsH = f.rowSums()
	whole := total(u.updates.rowSumsH)
	err = u.over(ctx, func(s *scratch, lo, hi int) { u.solve(s, lo, hi, whole) })
	return *f.sums.loss - f.totals.sum + blas.Dot(f.sums.columnSums, u.updates.rowSumsH), *f.sums.squares, err
}

// over moves the coordinates of each block of the batch, and sums over them.
func (u *onlineDivergence) over(ctx context.Context, codes func(s *scratch, lo, hi int)) error {
	f := u.factorization
	if f.data.Sparse == nil {
		return f.batchPass(ctx, codes, u.updates.accumulate)
	}
	if err := f.batchRows(ctx, codes); err != nil {
		return err
	}
	return u.updates.sumSparse(ctx)
}

// solve finds the coordinates of a block, whose start has the same sums as the
// samples.
func (u *onlineDivergence) solve(s *scratch, lo, hi int, whole float64) {
	f := u.factorization
	r := f.r
	for i := lo; i < hi; i++ {
		f.startRow(i, f.data.rowSum(i)/max(whole, denominator))
	}
	w, before := f.w[lo*r:hi*r], s.den[:(hi-lo)*r]
	for range batchSteps {
		copy(before, w)
		u.updates.stepRows(s, lo, hi)
		if blas.SquaredDistance(w, before) <= batchMoves*batchMoves*blas.Dot(w, w) {
			return
		}
	}
}

// learn moves H and the coordinates of the batch in turns, as a batch is read once and one step of H
// leads no far way. Earlier batches enter each turn by their A and B, which bound their part of the divergence from
// above, so that no turn raises the sum of that bound and of the batch's divergence.
func (u *onlineDivergence) learn(ctx context.Context, keep float64, to *State) error {
	u.updates.traced = false
	for range batchTurns {
		u.move(keep, to)
		u.updates.rowSumsH = u.factorization.rowSums()
		err := u.over(ctx, func(s *scratch, lo, hi int) {
			for range turnSteps {
				u.updates.stepRows(s, lo, hi)
			}
		})
		if err != nil {
			return err
		}
	}
	f := u.factorization
	fade(keep, to.B, f.sums.columnSums)
	for at, v := range f.sums.num[:f.r*f.m] {
		to.A[at] = keep*to.A[at] + float64(f.h[at]*v)
	}
	for k, b := range to.B {
		scale := 1 / max(b, denominator)
		for j, a := range to.A[k*f.m : (k+1)*f.m] {
			f.h[k*f.m+j] = flushTiny(a * scale)
		}
	}
	f.updateGram()
	return nil
}

// move is H = (ρA + H∘(Wᵀ(X/WH)))/(ρB + Wᵀ1); A and B stay.
func (u *onlineDivergence) move(keep float64, to *State) {
	f := u.factorization
	for k := range f.r {
		row, a := f.h[k*f.m:(k+1)*f.m], to.A[k*f.m:(k+1)*f.m]
		scale := 1 / max(float64(keep*to.B[k])+f.sums.columnSums[k], denominator)
		for j, v := range f.sums.num[k*f.m : (k+1)*f.m] {
			row[j] = flushTiny((float64(keep*a[j]) + float64(row[j]*v)) * scale)
		}
	}
	f.updateGram()
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
				row[q] = flushTiny(v * num[q] / max(den[q]+p.l1, minDenominator))
			}
		}
	},
	penalties: 1,
}

const (
	// batchSteps is the number of multiplicative steps for the coordinates of a batch at
	// most, before H first moves; they end when one moves the coordinates of a block by less than this fraction.
	batchSteps = 20
	batchMoves = 1e-4
	// batchTurns is the number of times that H and then the coordinates move before H moves last,
	// and turnSteps how many steps the coordinates then take.
	batchTurns = 8
	turnSteps  = 3
)
