package nmf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Correntropy is Σ 1 − exp(−(X − WH)²/2σ²): entries with large residuals count less.
var Correntropy = &Loss{
	name: "correntropy",
	algorithms: map[string]algorithm{
		Multiplicative: {
			updates: func(f *factorization, g *graphTerm, o Options) updates { return newCorrentropy(f, g, o) },
			encode:  encodeCorrentropy,
			solve:   solveCorrentropy,
		},
	},
	sparse:         true,
	scaled:         true,
	encodeTogether: encodeByCommonScale,
	memory:         memory{tiles: 3, rows: 3, wide: true, byRows: true, whole: func(o Options) bool { return o.Schedule != Refresh }},
	warning: func(last Point) string {
		if last.Residual < givenUp || last.Sigma2 == 0 {
			return ""
		}
		return fmt.Sprintf("‖X − WH‖ is %.3g of ‖X‖: correntropy ignores so many entries that zeros would fit about as well; a larger theta, or warm iterations, help", last.Residual)
	},
}

// givenUp: factors that leave this share of ‖X‖ explain next to nothing. Sparse data come to
// that where σ² is of all entries and their weights drive WH to zero at those stored.
const givenUp = 0.999

// correntropy is half-quadratic optimisation of the correntropy loss (He et al.;
// You et al. 2015, Algorithm 1). An iteration weights every entry by P =
// exp(−E²/2σ²) and takes multiplicative steps with these weights:
//
//   - With Paper, P is kept for both half steps in one n × m buffer. Once a block
//     of it has served, the block takes the rows of the new WH, which the next
//     iteration begins with: WH is formed twice, 12nmr flops in all.
//   - With Refresh nothing is kept: WH is formed once more, for σ², and P twice.
//
// Of sparse data no n × m matrix is kept with either.
type correntropy struct {
	*factorization
	graph   *graphTerm
	rule    Sigma
	refresh bool
	bins    []float64          // of MedianScale
	even    bool               // entries above zero have the weight 1 in the median, not their value
	buffer  []float64          // of Paper with dense data
	entries *compressedWeights // nil: the data are dense
	sigma2  float64
	squares float64 // ‖X − WH‖² of the present factors
	held    weighted
}

func newCorrentropy(f *factorization, g *graphTerm, o Options) *correntropy {
	if o.Sigma.FreezeAfter > 0 {
		o.Sigma.FreezeAfter += o.Warm
	}
	u := &correntropy{factorization: f, graph: g, rule: o.Sigma, refresh: o.Schedule == Refresh}
	switch {
	case f.data.Sparse != nil:
		u.entries = newCompressedWeights(f, u.refresh)
	case !u.refresh:
		u.buffer = make([]float64, f.n*f.m)
	}
	return u
}

func (u *correntropy) prepare(ctx context.Context) error {
	if err := u.graph.apply(ctx); err != nil {
		return err
	}
	return u.measure(ctx)
}

// measure forms WH for the squared residual, and keeps it with Paper.
func (u *correntropy) measure(ctx context.Context) error {
	err := u.measurePass(ctx, func(s *scratch, lo, hi int, sum *partialSums) { u.residual(s, lo, hi, sum) })
	u.squares = *u.sums.squares
	u.updateSigma(1)
	return err
}

// residual forms the rows of WH and adds the squares of their residuals.
func (u *correntropy) residual(s *scratch, lo, hi int, sum *partialSums) {
	if u.entries != nil {
		u.residualByGram(s, lo, hi, sum)
		return
	}
	model := u.model(s, lo, hi)
	u.modelRows(lo, hi, model)
	*sum.squares += blas.SquaredDistance(u.rows(s, lo, hi), model)
}

func (u *correntropy) model(s *scratch, lo, hi int) []float64 {
	if u.buffer == nil {
		return s.model[:(hi-lo)*u.m]
	}
	return u.buffer[lo*u.m : hi*u.m]
}

// updateSigma sets σ² for an iteration, counting from 1.
func (u *correntropy) updateSigma(iteration int) {
	entries := float64(u.n) * float64(u.m)
	// Data of zeros alone would leave nothing to divide by.
	least := max(u.rule.Floor*u.totals.squares/entries, 1e-300)
	switch {
	case u.rule.Fixed > 0:
		u.sigma2 = u.rule.Fixed
	case u.sigma2 > 0 && u.rule.FreezeAfter > 0 && iteration > u.rule.FreezeAfter:
	case u.rule.Scale == MeanScale:
		u.sigma2 = max(u.rule.Theta*u.squares/entries, least)
	case u.sigma2 == 0 || iteration%medianEvery == 0:
		scale := u.scaleOfData()
		now := max(u.rule.Theta*scale*scale, least)
		if u.sigma2 == 0 || now < u.sigma2 {
			u.sigma2 = now
		}
	}
}

func (u *correntropy) step(ctx context.Context, iteration int, traced bool) error {
	u.updateSigma(iteration)
	u.held.asked = traced && !u.refresh
	before := u.graph.value()
	accumulate, step := u.accumulateH, u.stepRows
	if u.entries != nil {
		accumulate, step = u.accumulateEntries, u.stepEntries
	}
	if err := u.pass(ctx, accumulate); err != nil {
		return err
	}
	u.held.before = u.kernelConstant()**u.sums.loss + before
	num, den, ld := u.sums.num, u.sums.num[u.m:], 2*u.m
	if u.entries != nil {
		num, den, ld = u.sumsOfEntries()
	}
	u.graph.addRidge(1/u.kernelConstant(), den, ld)
	u.stepH(num, den, ld)
	if err := u.measurePass(ctx, step); err != nil {
		return err
	}
	u.squares = *u.sums.squares
	err := u.graph.apply(ctx)
	u.held.after = u.kernelConstant()**u.sums.loss + u.graph.value()
	return err
}

// weigh writes P, X ∘ P and WH ∘ P for one row of data and of WH.
func (u *correntropy) weigh(data, model, p, left, right []float64) {
	blas.GaussWeights(0.5/u.sigma2, data, model, p, left, right)
}

// accumulateH adds a block's contributions to Wᵀ(X ∘ P) and Wᵀ(WH ∘ P).
func (u *correntropy) accumulateH(s *scratch, lo, hi int, sum *partialSums) {
	m, r := u.m, u.r
	model := u.model(s, lo, hi)
	if u.refresh {
		u.modelRows(lo, hi, model)
	}
	for i := range hi - lo {
		data, t := u.data.Dense[(lo+i)*m:(lo+i+1)*m], model[i*m:(i+1)*m]
		left, right := u.sides(s, i)
		if u.held.asked {
			u.weigh(data, t, s.row, left, right)
			*sum.loss += weightedSquares(s.row, data, t)
			copy(t, s.row)
			continue
		}
		u.weigh(data, t, t, left, right) // P takes the place of WH
	}
	u.kernels.Gemm(true, false, r, 2*m, hi-lo, 1, u.w[lo*r:], r, s.tile, 2*m, sum.beta, sum.num, 2*m)
}

// stepRows updates a block of rows of W (You et al. 2015, eq. 13) and measures its
// residual.
func (u *correntropy) stepRows(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	u.modelRows(lo, hi, s.model)
	for i := range rows {
		data, t := u.data.Dense[(lo+i)*m:(lo+i+1)*m], s.model[i*m:(i+1)*m]
		left, right := u.sides(s, i)
		if u.refresh {
			u.weigh(data, t, t, left, right)
		} else {
			blas.Weigh(u.buffer[(lo+i)*m:(lo+i+1)*m], data, t, left, right)
		}
	}
	num, den := s.num[:rows*r], s.den[:rows*r]
	u.weightedProducts(s, rows, num, den)
	if u.graph != nil {
		u.graph.add(1/u.kernelConstant(), lo, num, den)
	}
	blas.MultiplyRatios(u.w[lo*r:hi*r], denominator, vanished, num, den)
	if u.held.asked {
		u.residualHeld(s, lo, hi, sum)
		return
	}
	u.residual(s, lo, hi, sum)
}

// kernelConstant is the factor that KernelConstant puts before the weights. It cancels
// in every ratio but for the graph term.
func (u *correntropy) kernelConstant() float64 {
	if !u.rule.KernelConstant {
		return 1
	}
	return 1 / math.Sqrt(2*math.Pi*u.sigma2)
}

func (u *correntropy) point(ctx context.Context) (Point, error) {
	losses := make([]float64, (u.n+u.block-1)/u.block)
	err := blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) {
		s := &u.scratch[worker]
		model := u.model(s, lo, hi)
		if u.buffer == nil {
			u.modelRows(lo, hi, model)
		}
		var loss float64
		for i := range hi - lo {
			left, right := u.sides(s, i)
			u.weigh(u.sample(s, lo+i), model[i*u.m:(i+1)*u.m], s.row, left, right)
			for _, p := range s.row {
				loss += 1 - p
			}
		}
		losses[lo/u.block] = loss
	})
	var loss float64
	for _, v := range losses {
		loss += v
	}
	loss *= u.kernelConstant()
	reg := u.graph.value()
	p := Point{Objective: loss + reg, Surrogate: 2*u.sigma2*loss + reg, Sigma2: u.sigma2,
		Residual: u.relative(u.squares), Regularizer: reg}
	if u.held.asked {
		p.HeldBefore, p.Held = u.held.before, u.held.after
	}
	return p, err
}

func (u *correntropy) plan() string {
	if u.entries != nil {
		return u.entries.plan()
	}
	if u.refresh {
		return "YC tile by tile, three times, weights twice: 14nmr flops and 2nm exponentials an iteration, no n × m matrix"
	}
	return "YC tile by tile, twice, weights once: 12nmr flops and nm exponentials an iteration, one n × m matrix"
}

func (u *correntropy) normalize() { u.normalizeComponents(u.graph) }

// weighted is Σ P∘E² + λ tr(WᵀΦW) under the weights P of an iteration, before its half
// steps and after. The steps minimise this quadratic, which is all that the proof of
// You et al. (2015), Theorem 1, is about. With Refresh each half step has weights of its
// own, and there is no such pair.
type weighted struct {
	asked         bool // for the iteration under way
	before, after float64
}

// weightedSquares is Σ p(x − t)².
func weightedSquares(p, x, t []float64) float64 {
	var sum float64
	for j, v := range p {
		e := x[j] - t[j]
		sum += v * e * e
	}
	return sum
}

// residualHeld is residual with the squares under the weights that the buffer still
// holds, before WH takes their place.
func (u *correntropy) residualHeld(s *scratch, lo, hi int, sum *partialSums) {
	m := u.m
	model := s.model[:(hi-lo)*m]
	u.modelRows(lo, hi, model)
	for i := range hi - lo {
		*sum.loss += weightedSquares(u.buffer[(lo+i)*m:(lo+i+1)*m], u.data.Dense[(lo+i)*m:(lo+i+1)*m], model[i*m:(i+1)*m])
	}
	copy(u.buffer[lo*m:hi*m], model)
	*sum.squares += blas.SquaredDistance(u.rows(s, lo, hi), model)
}

const (
	// medianScale makes the median of |e| the standard deviation of normal residuals.
	medianScale = 1.4826
	// medianEvery is the number of iterations from one median to the next.
	medianEvery = 10
	// medianRows bounds the rows of which a median is taken.
	medianRows = 2048
	// binBits are the bits of the mantissa that separate the bins of residuals.
	binBits = 6
)

// scaleOfData is the scale of the residuals at the entries that the data have: the median
// of |E| with the weights X. Entries of zero, which are most of sparse data and nearly fitted
// by any factors, say nothing of how far the entries of the data are off.
func (u *correntropy) scaleOfData() float64 {
	if u.bins == nil {
		u.bins = make([]float64, 2048<<binBits)
	}
	clear(u.bins)
	var whole float64
	u.residualsOfData(func(x, e float64) {
		if u.even {
			x = 1
		}
		u.bins[binOf(e)] += x
		whole += x
	})
	left, bin := whole/2, 0
	for ; bin < len(u.bins)-1 && u.bins[bin] < left; bin++ {
		left -= u.bins[bin]
	}
	var within [][2]float64 // |e| and x of the bin that has the median
	u.residualsOfData(func(x, e float64) {
		if binOf(e) == bin {
			if u.even {
				x = 1
			}
			within = append(within, [2]float64{e, x})
		}
	})
	slices.SortFunc(within, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	var scale float64 // 0 where the data are zero throughout
	for _, v := range within {
		if scale, left = medianScale*v[0], left-v[1]; left <= 0 {
			break
		}
	}
	return scale
}

// binOf is the bin of a residual ≥ 0: its exponent, and the first bits of its mantissa.
func binOf(e float64) int { return int(math.Float64bits(e) >> (52 - binBits)) }

// residualsOfData calls do for the entries x > 0 of some samples with their |x − (WH)|.
func (u *correntropy) residualsOfData(do func(x, e float64)) {
	m, r := u.m, u.r
	rows, model := min(u.n, medianRows), u.scratch[0].row
	for q := range rows {
		i := q * u.n / rows
		w := u.w[i*r : (i+1)*r]
		if a := u.data.Sparse; a != nil {
			cols, vals := a.Row(i)
			for p, j := range cols {
				if vals[p] > 0 {
					do(vals[p], math.Abs(vals[p]-blas.Dot(w, u.ht[int(j)*r:int(j)*r+r])))
				}
			}
			continue
		}
		u.kernels.Gemm(false, false, 1, m, r, 1, w, r, u.h, m, 0, model, m)
		for j, x := range u.data.Dense[i*m : (i+1)*m] {
			if x > 0 && u.data.known != nil {
				do(x, math.Abs(x/u.data.known.v[i*m+j]-model[j]))
			} else if x > 0 {
				do(x, math.Abs(x-model[j]))
			}
		}
	}
}

// compressedWeights is what correntropy needs of sparse data besides. An entry that is not
// stored has the weight exp(−(WH)²/2σ²), so that WH is formed everywhere, tile by tile; but
// X ∘ P has entries where X has, and the numerators are sums over these. The squares of the
// residuals, for σ², come from [factorization.compressedResiduals].
//
// With Paper, P has to serve both half steps. In place of the n × m matrix of dense data,
// the components before their step are kept: with the rows of W, which have not been stepped
// yet, they give the same P once more.
type compressedWeights struct {
	before     []float64 // H before its step, r × m, of Paper; nil with Refresh
	numerators []float64 // of H, r × m
}

func newCompressedWeights(f *factorization, refresh bool) *compressedWeights {
	c := &compressedWeights{numerators: make([]float64, f.r*f.m)}
	if !refresh {
		c.before = make([]float64, f.r*f.m)
	}
	return c
}

// stretches calls do for ranges of columns of a block of rows. Products over all columns may be
// summed stretch by stretch: a stretch is a multiple of the terms that products sum at a time.
func (u *correntropy) stretches(rows int, do func(from, to int)) {
	const unit = 256
	width := max(1, stretchNumbers/(rows*unit)) * unit
	for from := 0; from < u.m; from += width {
		do(from, min(from+width, u.m))
	}
}

// storedWithin are the columns from ≤ j < to that a sparse row stores, less from, with the
// entries.
func storedWithin(a *sparse.CSR, i, from, to int) (cols []int32, vals []float64) {
	cols, vals = a.Row(i)
	lo, _ := slices.BinarySearch(cols, int32(from))
	hi, _ := slices.BinarySearch(cols[lo:], int32(to))
	return cols[lo : lo+hi], vals[lo : lo+hi]
}

// lay writes entries of a row to a stretch of zeros, and clears them with erase.
func lay(cols []int32, vals []float64, from int, x []float64) {
	for p, j := range cols {
		x[int(j)-from] = vals[p]
	}
}

func erase(cols []int32, from int, x []float64) {
	for _, j := range cols {
		x[int(j)-from] = 0
	}
}

// accumulateEntries is accumulateH of sparse data. The numerators of a block come first in
// its sums, transposed: m × r.
func (u *correntropy) accumulateEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	numerators := sum.num[:m*r]
	if sum.beta == 0 {
		clear(numerators)
	}
	u.stretches(rows, func(from, to int) {
		width := to - from
		model, weighted := s.model[:rows*width], s.tile[:rows*width]
		x, left, spare := s.stretch[:width], s.row[:width], s.tile[rows*width:][:width]
		u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, u.h[from:], m, 0, model, width)
		for i := range rows {
			cols, vals := storedWithin(u.data.Sparse, lo+i, from, to)
			lay(cols, vals, from, x)
			t, right := model[i*width:(i+1)*width], weighted[i*width:(i+1)*width]
			if u.held.asked {
				u.weigh(x, t, spare, left, right)
				*sum.loss += weightedSquares(spare, x, t)
			} else {
				u.weigh(x, t, t, left, right)
			}
			w := u.w[(lo+i)*r : (lo+i+1)*r]
			for _, j := range cols {
				blas.Axpy(left[int(j)-from], w, numerators[int(j)*r:int(j)*r+r])
			}
			erase(cols, from, x)
		}
		u.kernels.Gemm(true, false, r, width, rows, 1, u.w[lo*r:], r, weighted, width, sum.beta, sum.num[m*r+from:], m)
	})
}

// sumsOfEntries are the numerators and denominators of H, with numbers in a row of them;
// it keeps the components for the weights of the half step after.
func (u *correntropy) sumsOfEntries() (num, den []float64, ld int) {
	copy(u.entries.before, u.h)
	transpose(u.m, u.r, u.sums.num, u.entries.numerators)
	return u.entries.numerators, u.sums.num[u.m*u.r:], u.m
}

// stepEntries is stepRows of sparse data.
func (u *correntropy) stepEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	num, den := s.num[:rows*r], s.den[:rows*r]
	before := u.entries.before
	clear(num)
	u.stretches(rows, func(from, to int) {
		width := to - from
		model, other := s.model[:rows*width], s.tile[:rows*width]
		x, left, spare := s.stretch[:width], s.row[:width], s.tile[rows*width:][:width]
		if before != nil {
			u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, before[from:], m, 0, other, width)
		}
		u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, u.h[from:], m, 0, model, width)
		for i := range rows {
			cols, vals := storedWithin(u.data.Sparse, lo+i, from, to)
			lay(cols, vals, from, x)
			t, o := model[i*width:(i+1)*width], other[i*width:(i+1)*width]
			if before != nil {
				u.weigh(x, o, o, left, spare) // P takes the place of the WH before
				blas.Weigh(o, x, t, left, t)
			} else {
				u.weigh(x, t, t, left, o)
			}
			for _, j := range cols {
				blas.Axpy(left[int(j)-from], u.ht[int(j)*r:int(j)*r+r], num[i*r:(i+1)*r])
			}
			erase(cols, from, x)
		}
		weighted, beta := model, 1.0
		if before == nil {
			weighted = other
		}
		if from == 0 {
			beta = 0
		}
		u.kernels.Gemm(false, false, rows, r, width, 1, weighted, width, u.ht[from*r:], r, beta, den, r)
	})
	if u.graph != nil {
		u.graph.add(1/u.kernelConstant(), lo, num, den)
	}
	if u.held.asked {
		copy(s.weighted, u.w[lo*r:hi*r])
	}
	blas.MultiplyRatios(u.w[lo*r:hi*r], denominator, vanished, num, den)
	u.residualByGram(s, lo, hi, sum)
	if u.held.asked {
		u.heldEntries(s, lo, hi, sum)
	}
}

// heldEntries is the part of residualHeld that weighs: the weights belong to the rows of W
// before their step, which s.weighted has, and of the components before theirs.
func (u *correntropy) heldEntries(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	u.stretches(rows, func(from, to int) {
		width := to - from
		model, other := s.model[:rows*width], s.tile[:rows*width]
		x, left, spare := s.stretch[:width], s.row[:width], s.tile[rows*width:][:width]
		u.kernels.Gemm(false, false, rows, width, r, 1, s.weighted, r, u.entries.before[from:], m, 0, other, width)
		u.kernels.Gemm(false, false, rows, width, r, 1, u.w[lo*r:], r, u.h[from:], m, 0, model, width)
		for i := range rows {
			cols, vals := storedWithin(u.data.Sparse, lo+i, from, to)
			lay(cols, vals, from, x)
			o := other[i*width : (i+1)*width]
			u.weigh(x, o, o, left, spare)
			*sum.loss += weightedSquares(o, x, model[i*width:(i+1)*width])
			erase(cols, from, x)
		}
	})
}

// residualByGram adds the squares of the residuals of the present factors.
func (u *correntropy) residualByGram(s *scratch, lo, hi int, sum *partialSums) {
	u.dataProducts(s, lo, hi, s.products)
	u.compressedResiduals(s, lo, hi)
	for _, e := range s.weights[:hi-lo] {
		*sum.squares += e * e
	}
}

func (c *compressedWeights) plan() string {
	if c.before == nil {
		return "YC tile by tile, twice, weights twice: 8nmr flops and 2nm exponentials an iteration, no n × m matrix"
	}
	return "YC tile by tile, three times, weights twice: 10nmr flops and 2nm exponentials an iteration, no n × m matrix"
}

// encodeCorrentropy weights the entries anew in every iteration, each sample by a σ²
// of its own.
func encodeCorrentropy(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	rule, rows := e.options.Sigma, hi-lo
	num, den, least := s.num[:rows*f.r], s.den[:rows*f.r], s.weights
	for i := range rows {
		least[i] = rule.minOfSample(f.sample(s, lo+i))
	}
	for range e.options.Iterations {
		if f.stopped() {
			return
		}
		f.modelRows(lo, hi, s.model)
		for i := range rows {
			x, model := f.sample(s, lo+i), s.model[i*f.m:(i+1)*f.m]
			sigma2 := rule.ofSample(x, model, least[i])
			left, right := f.sides(s, i)
			blas.GaussWeights(min(0.5/sigma2, math.MaxFloat64), x, model, s.row, left, right)
		}
		f.weightedProducts(s, rows, num, den)
		blas.MultiplyRatios(f.w[lo*f.r:hi*f.r], denominator, vanished, num, den)
	}
}

// minOfSample is the floor of σ² of a new sample; with Share it is σ² itself.
func (rule Sigma) minOfSample(x []float64) float64 {
	return max(max(rule.Floor, rule.Share)*blas.Dot(x, x)/float64(len(x)), 1e-300)
}

// ofSample is σ² of a new sample with a floor.
func (rule Sigma) ofSample(x, model []float64, least float64) float64 {
	switch {
	case rule.Fixed > 0:
		return rule.Fixed
	case rule.Share > 0:
		return least
	}
	return max(rule.Theta*blas.SquaredDistance(x, model)/float64(len(x)), least)
}

// encodeByCommonScale takes the step of W alone: σ² is the one of all samples.
func encodeByCommonScale(ctx context.Context, e *Encoder, f *factorization) error {
	o := e.options
	o.Schedule = Refresh
	f.allocateSums()
	u := newCorrentropy(f, nil, o)
	if err := u.prepare(ctx); err != nil {
		return err
	}
	for t := 1; t <= o.Iterations; t++ {
		u.updateSigma(t)
		step := u.stepRows
		if u.entries != nil {
			step = u.stepEntries
		}
		if err := u.measurePass(ctx, step); err != nil {
			return err
		}
		u.squares = *u.sums.squares
		o.Progress(float64(t) / float64(o.Iterations))
	}
	if math.IsNaN(u.squares) {
		return fmt.Errorf("nmf: encoding diverged; scale the data to moderate size")
	}
	return nil
}

const (
	// correntropySteps are the multiplicative steps that a new sample gets (You et al. 2015).
	correntropySteps = 200
	// scaleRounds are the rounds of weights after which σ² stays: where it and the
	// coordinates chase each other, they would do so for ever.
	scaleRounds = 500
	// weightedRounds bounds the rounds in all.
	weightedRounds = 2000
)

// solveCorrentropy takes the published multiplicative steps, which lead to one of several
// minima, and from there solves the weighted least squares, which are convex, and weights
// anew, until the residual under the weights of the coordinates themselves is at most the
// tolerance.
func solveCorrentropy(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	steps := *e
	steps.options.Iterations = correntropySteps
	encodeCorrentropy(&steps, f, s, lo, hi)
	r, c := f.r, s.code
	for i := lo; i < hi; i++ {
		rule := e.options.Sigma
		x, w := f.sample(s, i), f.w[i*r:(i+1)*r]
		least := rule.minOfSample(x)
		var residual float64
		for t := range weightedRounds {
			if f.stopped() {
				return
			}
			if t == scaleRounds {
				rule.Fixed = c.sigma2
			}
			size := c.weigh(f, rule, x, w, least)
			if residual = c.squares.residual(c.gram, c.right, w, size); size == 0 || residual <= e.options.Tolerance {
				break
			}
			c.squares.solve(c.gram, c.right, w, size, e.options.Tolerance/10, e.options.Iterations)
		}
		c.worst = max(c.worst, residual)
	}
}

// weigh computes the weights of the entries of a sample at w, and HPHᵀ and H(p∘x); it
// returns ‖x‖ under them.
func (c *codeScratch) weigh(f *factorization, rule Sigma, x, w []float64, least float64) float64 {
	f.kernels.Gemm(false, false, 1, f.m, f.r, 1, w, f.r, f.h, f.m, 0, c.model, f.m)
	c.sigma2 = rule.ofSample(x, c.model, least)
	// The weights take the place of wH, weighted x the place of their roots.
	blas.GaussWeights(min(0.5/c.sigma2, math.MaxFloat64), x, c.model, c.model, c.root, c.spare)
	f.kernels.Gemm(false, false, 1, f.r, f.m, 1, c.root, f.m, f.ht, f.r, 0, c.right, f.r)
	size := blas.Dot(c.root, x)
	for j, p := range c.model {
		c.root[j] = math.Sqrt(p)
	}
	f.weightedGram(c, c.root, nil)
	return math.Sqrt(size)
}
