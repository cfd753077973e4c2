package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
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
		return fmt.Sprintf("‖X − WH‖ is %.3g of ‖X‖: correntropy has given up so many entries that zeros would be about as near; a larger theta, or warm iterations, help", last.Residual)
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
// Of sparse data no n × m matrix is kept with either (see correntropy_sparse.go).
type correntropy struct {
	*factorization
	graph   *graphTerm
	rule    Sigma
	refresh bool
	bins    []float64          // of MedianScale
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

// accumulateH adds what a block gives to Wᵀ(X ∘ P) and Wᵀ(WH ∘ P).
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
