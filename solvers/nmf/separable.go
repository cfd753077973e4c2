package nmf

import (
	"context"
	"iter"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// separableRule is a loss Σ d(x|y) over the entries, y those of WH, in the form that its updates and
// the encoding of samples take. The slope of d in y is push − pull, both ≥ 0: push lowers the model,
// pull raises it. j is the column of an entry.
type separableRule interface {
	// weigh writes pull and push of the m entries of a row.
	weigh(data, model, pull, push []float64)
	// pullOf is pull of an entry x > 0; where x = 0 it is 0.
	pullOf(j int, x, y float64) float64
	// pushOf is push of an entry.
	pushOf(j int, x, y float64) float64
	// pushZeros replaces the models y of whole rows by push of x = 0.
	pushZeros(model []float64)
	// pushKnowsData says that push depends on x.
	pushKnowsData() bool
	// of is d(x|y), but for a part that depends on neither y nor a number that changes.
	of(j int, x, y float64) float64
	// zeros says that entries may be zero: ofZeros is then the sum of d(0|y) over whole rows. It
	// overwrites spare.
	zeros() bool
	ofZeros(model, spare []float64) float64
	// bend is a number ≥ 0 near the second derivative of d in y, for Newton's rule.
	bend(j int, x, y float64) float64
	// move is the step of entries z of a factor by the sums of push and pull, times the other factor,
	// to the minimum of a function above the objective. Those that it leads below least become zero.
	move(z, num, den []float64, p penalty, least float64)
}

// adaptive is a rule with numbers of its own that are learned with the factors.
type adaptive interface {
	// adapt renews the numbers before an iteration, and reports whether any changed. It never
	// raises the objective.
	adapt(ctx context.Context, f *factorization, iteration int) (bool, error)
	// part is the part of the objective that depends on these numbers and the data alone.
	part() float64
}

// separable is the multiplicative updates for a loss that is a sum over the entries. WH is formed tile
// by tile, of sparse data too, as push is not zero where the data are.
type separable struct {
	*factorization
	separableRule
	traced bool
}

func newSeparable(f *factorization, rule separableRule) *separable {
	return &separable{factorization: f, separableRule: rule}
}

func (u *separable) prepare(ctx context.Context) error {
	u.traced = true
	return u.sumSamples(ctx)
}

func (u *separable) step(ctx context.Context, iteration int, traced bool) error {
	u.traced = traced
	if rule, learns := u.separableRule.(adaptive); learns {
		changed, err := rule.adapt(ctx, u.factorization, iteration)
		if err == nil && changed && u.fixed != HFixed {
			err = u.sumSamples(ctx)
		}
		if err != nil {
			return err
		}
	}
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
func (u *separable) stepComponents() {
	_ = blas.For(context.Background(), u.threads, u.r-u.kept, 1, func(_, k, _ int) {
		k += u.kept
		sums := u.sums.num[2*k*u.m : 2*(k+1)*u.m]
		u.move(u.h[k*u.m:(k+1)*u.m], sums[:u.m], sums[u.m:], u.penaltyH, u.minH)
	})
	u.updateGram()
}

// stepAndSum updates W and accumulates the sums for the step of H.
func (u *separable) stepAndSum(ctx context.Context) error {
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
func (u *separable) sumSamples(ctx context.Context) error {
	if err := u.pass(ctx, u.accumulate); err != nil {
		return err
	}
	return u.sumColumns(ctx)
}

// stepRows updates a block of rows of W.
func (u *separable) stepRows(s *scratch, lo, hi int) {
	m, r, rows := u.m, u.r, hi-lo
	num, den := s.num[:rows*r], s.den[:rows*r]
	model := s.model[:rows*m]
	u.modelRows(lo, hi, model)
	if u.data.Sparse == nil {
		u.weighRows(s, lo, hi, model)
		u.weightedProducts(s, rows, num, den)
	} else {
		clear(num)
		for i := lo; i < hi; i++ {
			for j, x := range positive(u.data.Sparse.Row(i)) {
				blas.Axpy(u.pullOf(j, x, model[(i-lo)*m+j]), u.ht[j*r:(j+1)*r], num[(i-lo)*r:(i-lo+1)*r])
			}
		}
		u.pushModels(s, lo, hi, model)
		u.kernels.Gemm(false, false, rows, r, m, 1, model, m, u.ht, r, 0, den, r)
	}
	u.move(u.w[lo*r:hi*r], num, den, u.penaltyW, u.minW)
}

// pushModels replaces the models of sparse rows by their push.
func (u *separable) pushModels(s *scratch, lo, hi int, model []float64) {
	if !u.pushKnowsData() {
		u.pushZeros(model)
		return
	}
	for i := lo; i < hi; i++ {
		row := model[(i-lo)*u.m : (i-lo+1)*u.m]
		cols, vals := u.data.Sparse.Row(i)
		for p, j := range cols {
			s.row[p] = row[j]
		}
		u.pushZeros(row)
		for p, j := range cols {
			row[j] = u.pushOf(int(j), vals[p], s.row[p])
		}
	}
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

// accumulate adds a block's contributions to Wᵀ·pull and Wᵀ·push, and if requested
// to the divergence. For sparse data sumColumns computes the first.
func (u *separable) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	model := s.model[:rows*m]
	u.modelRows(lo, hi, model)
	w := u.w[lo*r : hi*r]
	if u.data.Sparse != nil {
		if u.traced {
			u.measureSparse(s, lo, hi, sum)
		}
		u.pushModels(s, lo, hi, model)
		u.kernels.Gemm(true, false, r, m, rows, 1, w, r, model, m, sum.beta, sum.num[m:], 2*m)
		return
	}
	if u.traced {
		u.measureDense(s, lo, hi, model, sum)
	}
	u.weighRows(s, lo, hi, model)
	u.kernels.Gemm(true, false, r, 2*m, rows, 1, w, r, s.tile, 2*m, sum.beta, sum.num, 2*m)
}

// weighRows writes pull and push of a block of rows, times the weights of the entries.
func (u *separable) weighRows(s *scratch, lo, hi int, model []float64) {
	m := u.m
	for i := lo; i < hi; i++ {
		left, right := u.sides(s, i-lo)
		row, v := u.entriesOf(s, i)
		u.weigh(row, model[(i-lo)*m:(i-lo+1)*m], left, right)
		if v != nil {
			blas.Multiply(left, left, v)
			blas.Multiply(right, right, v)
		}
	}
}

// entriesOf is a row of dense data, and its weights; nil: all are 1. Entries of weight 0 are zero.
func (u *separable) entriesOf(s *scratch, i int) (row, weights []float64) {
	row = u.rows(s, i, i+1)
	if u.data.known == nil {
		return row, nil
	}
	weights = u.data.known.v[i*u.m : (i+1)*u.m]
	for j, v := range weights {
		s.row[j] = 0
		if v > 0 {
			s.row[j] = row[j] / v
		}
	}
	return s.row, weights
}

// measureDense adds the loss of a block of dense rows, and the squares of its residuals.
func (u *separable) measureDense(s *scratch, lo, hi int, model []float64, sum *partialSums) {
	if u.data.known == nil {
		data := u.rows(s, lo, hi)
		*sum.squares += blas.SquaredDistance(data, model)
		*sum.loss += lossOf(u, u.m, data, model)
		return
	}
	for i := lo; i < hi; i++ {
		row, weights := u.entriesOf(s, i)
		for j, y := range model[(i-lo)*u.m : (i-lo+1)*u.m] {
			if v := weights[j]; v > 0 {
				e := row[j] - y
				*sum.loss += v * u.of(j, row[j], y)
				*sum.squares += v * e * e
			}
		}
	}
}

// lossOf is the sum of d(x|y) over rows of m entries.
func lossOf(rule separableRule, m int, data, model []float64) (sum float64) {
	for len(data) > 0 {
		for j, x := range data[:m] {
			sum += rule.of(j, x, model[j])
		}
		data, model = data[m:], model[m:]
	}
	return sum
}

// measureSparse adds the divergence of a block of sparse rows: of all entries as though they
// were zero, and the difference where they are not.
func (u *separable) measureSparse(s *scratch, lo, hi int, sum *partialSums) {
	var loss, squares float64
	model := s.model[:(hi-lo)*u.m]
	zeros := u.zeros() // else all entries are stored
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
			loss += u.of(j, x, y)
			if zeros {
				loss -= u.of(j, 0, y)
			}
			squares += x * (x - 2*y)
		}
	}
	*sum.loss += loss
	*sum.squares += squares
}

// sumColumns sums the pull of sparse data by the rows of Xᵀ.
func (u *separable) sumColumns(ctx context.Context) error {
	if u.data.Sparse == nil {
		return nil
	}
	r, a := u.r, u.data.transpose
	return u.byColumns(ctx, func(j, from, end int, to []float64) {
		h := u.ht[j*r : (j+1)*r]
		for i, x := range positive(a.Col[from:end], a.Val[from:end]) {
			w := u.w[i*r : (i+1)*r]
			blas.Axpy(u.pullOf(j, x, blas.Dot(w, h)), w, to)
		}
	})
}

func (u *separable) point(ctx context.Context) (Point, error) {
	if !u.traced { // not announced, or of another H: sum once more
		u.traced = true
		if err := u.sumSamples(ctx); err != nil {
			return Point{}, err
		}
	}
	penalty, unit := u.penalties(), 1.0
	if u.data.known != nil {
		unit = u.data.known.unit
	}
	loss := *u.sums.loss
	if rule, learns := u.separableRule.(adaptive); learns {
		loss += rule.part()
	}
	penalty *= unit
	whole := loss*unit + penalty
	return Point{Objective: whole, Surrogate: whole, Residual: u.relative(max(0, *u.sums.squares)), Penalty: penalty}, nil
}

func (u *separable) plan() string {
	return "slopes at YC tile by tile, twice, in one pass over the data an iteration"
}

func (u *separable) normalize() { u.normalizeComponents(nil) }

// encodeSeparable takes the step of W alone, again and again.
func encodeSeparable(rule func(f *factorization) separableRule) func(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	return func(e *Encoder, f *factorization, s *scratch, lo, hi int) {
		u := newSeparable(f, rule(f))
		for range e.options.Iterations {
			if f.stopped() {
				return
			}
			u.stepRows(s, lo, hi)
		}
	}
}

// solveSeparable minimizes the loss of a block of samples, one by one: a few multiplicative
// steps, then projected Newton steps (Bertsekas 1982) until the residual is at most the
// tolerance. Both lower the loss. The β-divergence is convex for 1 ≤ β ≤ 2, and so is Huber's loss; else
// the minimum is the one that the start of [Encoder] leads to.
func solveSeparable(rule func(f *factorization) separableRule) func(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	return func(e *Encoder, f *factorization, s *scratch, lo, hi int) { solveRows(rule(f), e, f, s, lo, hi) }
}

func solveRows(rule separableRule, e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r, m := f.r, f.m
	for i := lo; i < hi; i++ {
		d := newtonSeparable{separableRule: rule, f: f, c: s.code, w: f.w[i*r : (i+1)*r]}
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

// newtonSeparable is the penalised loss of one sample as it is minimized.
type newtonSeparable struct {
	separableRule
	f *factorization
	c *codeScratch
	w []float64
	x []float64
}

// value is the divergence at w, and leaves wH in the scratch.
func (d *newtonSeparable) value(w []float64) float64 {
	m, r := d.f.m, d.f.r
	d.f.kernels.Gemm(false, false, 1, m, r, 1, w, r, d.f.h, m, 0, d.c.model, m)
	return lossOf(d, m, d.x, d.c.model[:m]) + d.f.penaltyW.value(w)
}

// gradient writes the gradient at the w of the last value, and its part without the sample:
// s = push·Hᵀ + l1 + l2·w. It returns the residual: max over k of |min(w_k s_k/Σ w_l s_l,
// g_k/s_k)|, which has no unit.
func (d *newtonSeparable) gradient() float64 {
	r := d.f.r
	g, s, p := d.c.right, d.c.next, d.f.penaltyW
	clear(s)
	clear(g)
	for j, x := range d.x {
		y := d.c.model[j]
		row := d.f.ht[j*r : (j+1)*r]
		blas.Axpy(d.pushOf(j, x, y), row, s)
		if x > 0 {
			blas.Axpy(-d.pullOf(j, x, y), row, g)
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

func (d *newtonSeparable) solve(tolerance float64, steps int) float64 {
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
func (d *newtonSeparable) multiply() {
	p := d.f.penaltyW
	for k, s := range d.c.next {
		num := max(0, s-d.c.right[k])
		d.c.move[k], d.c.next[k] = num, max(0, s-p.l1-p.l2*d.w[k])
	}
	d.move(d.w, d.c.move, d.c.next, p, vanished)
}

// newton takes a projected Newton step from w, and reports whether one lowers the value. Of the
// second derivatives parts below zero are left out.
func (d *newtonSeparable) newton(residual, value float64) bool {
	r, c, p := d.f.r, d.c, d.f.penaltyW
	q, g := c.squares, c.right
	var whole, scale float64
	for j, x := range d.x {
		y := c.model[j]
		c.root[j] = math.Sqrt(d.bend(j, x, y))
		scale += math.Abs(y * d.pushOf(j, x, y))
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
