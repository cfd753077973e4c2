package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Frobenius is the squared error, Σ (X − WH)².
var Frobenius = &Loss{
	name: "frobenius",
	algorithms: map[string]algorithm{
		Multiplicative: {
			updates: func(f *factorization, g *graphTerm, _ Options) updates {
				return &squaredError{factorization: f, graph: g}
			},
			encode:     encodeSquares,
			solve:      solveSquares,
			codesFirst: true,
			wFirst:     true,
			fixes:      true,
			weighted:   func(f *factorization, _ Options) updates { return newEntryUpdates(f, entrySquares) },
		},
		HALS: {
			updates:  func(f *factorization, g *graphTerm, o Options) updates { return newHALS(f, g, o) },
			encode:   encodeByDescent,
			solve:    solveSquares,
			wFirst:   true,
			fixes:    true,
			weighted: func(f *factorization, o Options) updates { return newEntryDescent(f, o) },
		},
		MiniBatch: {
			encode:  encodeByDescent,
			solve:   solveSquares,
			learner: newOnlineSquares,
		},
	},
	sparse: true,
	degree: func(Options) float64 { return 2 },
}

// squaredError is the multiplicative updates for the squared error: Gram forms
// throughout. WH is formed only where the samples have weights, which their residuals
// give.
type squaredError struct {
	*factorization
	graph *graphTerm
	// sample is a sample's part of the loss, and its weight, by the length of its
	// residual; nil: all weigh the same.
	sample  func(residual float64) (loss, weight float64)
	weights []float64 // of compressed samples, n; nil until they are summed
}

func (u *squaredError) prepare(ctx context.Context) error {
	if err := u.graph.apply(ctx); err != nil {
		return err
	}
	if u.fixed == HFixed {
		return u.multiplyOnce(ctx)
	}
	if u.data.Sparse != nil {
		return u.passCompressed(ctx, false)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *squaredError) step(ctx context.Context, _ int, _ bool) error {
	switch {
	case u.fixed == HFixed:
		return u.overRows(ctx, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) })
	case u.fixed == WFixed: // the sums are of the W that stays
		u.stepComponents()
		return nil
	case !u.codesFirst && !u.wFirst:
		u.stepComponents()
	}
	if err := u.stepW(ctx); err != nil {
		return err
	}
	if u.codesFirst || u.wFirst {
		u.stepComponents()
	}
	return nil
}

// stepComponents updates H.
func (u *squaredError) stepComponents() {
	den := u.gramDenominators()
	u.graph.addRidge(u.graphWeight(), den, u.m)
	u.penaltyH.addTo(den[u.kept*u.m:], u.learnedComponents())
	if u.smooth != nil {
		u.stepSmooth(den)
		return
	}
	u.stepH(u.sums.num, den, u.m)
}

// graphWeight is the weight of the slope of the graph term relative to the products: the slope of a
// length is half the slope of a square with the same weight.
func (u *squaredError) graphWeight() float64 {
	if u.sample != nil {
		return 2
	}
	return 1
}

// stepW updates W and the sums that depend on it.
func (u *squaredError) stepW(ctx context.Context) error {
	var err error
	if u.data.Sparse != nil {
		err = u.passCompressed(ctx, true)
	} else {
		err = u.pass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
			u.stepRows(s, lo, hi)
			u.accumulate(s, lo, hi, sum)
		})
	}
	if err != nil {
		return err
	}
	return u.graph.apply(ctx)
}

// stepRows is w ← w ∘ (p xHᵀ + λΦ⁻w)/(p wHHᵀ + λΦ⁺w), twice λ of a weighted sample, for a block of rows of W, p the
// weight of the sample (You et al. 2015, eq. 13). Without a graph term p cancels.
func (u *squaredError) stepRows(s *scratch, lo, hi int) {
	r, rows := u.r, hi-lo
	num, den, w := s.num[:rows*r], s.den[:rows*r], u.w[lo*r:hi*r]
	u.dataProducts(s, lo, hi, num)
	if u.weights != nil {
		copy(s.products, num)
	}
	u.kernels.Gemm(false, false, rows, r, r, 1, w, r, u.gramH, r, 0, den, r)
	if u.graph != nil {
		if u.sample != nil {
			u.residuals(s, lo, hi)
			for i, e := range s.weights[:rows] {
				_, p := u.sample(e)
				blas.Scale(p, num[i*r:(i+1)*r])
				blas.Scale(p, den[i*r:(i+1)*r])
			}
		}
		u.graph.add(u.graphWeight(), lo, num, den)
	}
	u.penaltyW.addTo(den, w)
	u.smooth.addTo(den, w)
	blas.MultiplyRatios(w, u.floor, vanished, num, den)
}

// accumulate adds a block's contributions to WᵀPX and WᵀPW, P the weights of the samples.
func (u *squaredError) accumulate(s *scratch, lo, hi int, sum *partialSums) {
	m, r, rows := u.m, u.r, hi-lo
	w := u.w[lo*r : hi*r]
	weighted := w
	if u.sample != nil {
		u.residuals(s, lo, hi)
		weighted = s.weighted[:rows*r]
		copy(weighted, w)
		for i, e := range s.weights[:rows] {
			loss, p := u.sample(e)
			*sum.loss += loss
			*sum.squares += e * e
			blas.Scale(p, weighted[i*r:(i+1)*r])
		}
	}
	u.kernels.Gemm(true, false, r, m, rows, 1, weighted, r, u.rows(s, lo, hi), m, sum.beta, sum.num, m)
	u.kernels.Gemm(true, false, r, r, rows, 1, weighted, r, w, r, 1, sum.gram, r)
}

func (u *squaredError) point(context.Context) (Point, error) {
	squares := u.gramResidual()
	return u.measured(squares, squares), nil
}

// measured is the point of a loss and of the squares of the residuals.
func (u *squaredError) measured(loss, squares float64) Point {
	reg, penalty := u.graph.value(), 2*u.penalties()
	whole := loss + reg + penalty
	return Point{Objective: whole, Surrogate: whole, Residual: u.relative(squares), Regularizer: reg, Penalty: penalty}
}

func (u *squaredError) plan() string {
	return "Gram forms: D·Cᵀ and YᵀD in one pass over the data an iteration"
}

func (u *squaredError) normalize() { u.normalizeComponents(u.graph) }

// encodeSquares takes the step of W alone, again and again, at one product with the
// data.
func encodeSquares(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r, rows := f.r, hi-lo
	num, den, w := s.num[:rows*r], s.den[:rows*r], f.w[lo*r:hi*r]
	f.dataProducts(s, lo, hi, num)
	for range e.options.Iterations {
		if f.stopped() {
			return
		}
		f.kernels.Gemm(false, false, rows, r, r, 1, w, r, f.gramH, r, 0, den, r)
		f.penaltyW.addTo(den, w)
		blas.MultiplyRatios(w, denominator, vanished, num, den)
	}
}

// solveSquares finds the nonnegative least squares of a block of samples.
func solveSquares(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	num := s.num[:(hi-lo)*r]
	f.dataProducts(s, lo, hi, num)
	f.penaltyW.takeFrom(num)
	for i := lo; i < hi; i++ {
		gram, size := f.gramOf(s, i, e.ridged)
		s.code.worst = max(s.code.worst, s.code.squares.solve(gram, num[(i-lo)*r:(i-lo+1)*r], f.w[i*r:(i+1)*r], size, e.options.Tolerance, e.options.Iterations))
	}
}

// onlineSquares learns by the squared error.
type onlineSquares struct {
	*Online
	moves [][]float64 // of a block of columns, for each worker
}

func newOnlineSquares(l *Online) learner {
	u := &onlineSquares{Online: l}
	for range max(1, l.workers) {
		u.moves = append(u.moves, make([]float64, l.columns))
	}
	return u
}

func (u *onlineSquares) sizes() (a, b int) { return u.r * u.r, u.r * u.m }

func (u *onlineSquares) sum(ctx context.Context) (loss, squares float64, err error) {
	f := u.factorization
	codes := func(s *scratch, lo, hi int) {
		clear(f.w[lo*f.r : hi*f.r])
		solveSquares(u.codes, f, s, lo, hi)
	}
	if f.data.Sparse != nil {
		if err = f.batchRows(ctx, codes); err == nil {
			err = f.sumSparse(ctx)
		}
	} else {
		descent := coordinateDescent{factorization: f}
		err = f.batchPass(ctx, codes, descent.accumulate)
	}
	squares = f.gramResidual()
	return squares, squares, err
}

func (u *onlineSquares) learn(ctx context.Context, keep float64, to *State) error {
	f := u.factorization
	fade(keep, to.A, f.sums.gram)
	fade(keep, to.B, f.sums.num)
	err := blas.For(ctx, f.threads, f.m, f.columns, func(worker, lo, hi int) {
		f.sweep(0, hi-lo, f.h[lo:], f.m, to.B[lo:], f.m, to.A, 0, batchSweeps, u.moves[worker])
	})
	f.updateGram()
	return err
}

// cancelled: where less than this share of ‖x‖² + ‖wH‖² is left of their difference by
// Gram forms, a residual is computed entry by entry. Larger differences have lost at most four of
// the sixteen digits, in the square.
const cancelled = 1e-4

// residuals writes ‖x − wH‖ of a block of rows to s.weights. Of compressed rows it takes
// their products with Hᵀ from s.products.
func (f *factorization) residuals(s *scratch, lo, hi int) {
	if f.data.Sparse != nil {
		f.compressedResiduals(s, lo, hi)
		return
	}
	f.modelRows(lo, hi, s.model)
	for i := range hi - lo {
		s.weights[i] = math.Sqrt(blas.SquaredDistance(f.data.Dense[(lo+i)*f.m:(lo+i+1)*f.m], s.model[i*f.m:(i+1)*f.m]))
	}
}

// compressedResiduals writes ‖x − wH‖ of a block of compressed rows to s.weights. The
// square is ‖x‖² − 2xHᵀwᵀ + wHHᵀwᵀ, for which nothing of m numbers is formed but where
// little is left of the sum.
func (f *factorization) compressedResiduals(s *scratch, lo, hi int) {
	r, rows := f.r, hi-lo
	w, products := f.w[lo*r:hi*r], s.products[rows*r:2*rows*r]
	f.kernels.Gemm(false, false, rows, r, r, 1, w, r, f.gramH, r, 0, products, r)
	formed := 0 // rows of W whose residuals have to be formed
	for i := range rows {
		row := w[i*r : (i+1)*r]
		x, model := f.rowSquares(s, lo+i), blas.Dot(row, products[i*r:(i+1)*r])
		square := x - 2*blas.Dot(row, s.products[i*r:(i+1)*r]) + model
		s.weights[i] = math.Sqrt(max(square, 0))
		if !(square >= cancelled*(x+model)) {
			copy(s.weighted[formed*r:], row)
			s.weights[i] = -1
			formed++
		}
	}
	if formed == 0 {
		return
	}
	f.kernels.Gemm(false, false, formed, f.m, r, 1, s.weighted, r, f.h, f.m, 0, s.model, f.m)
	formed = 0
	for i, e := range s.weights[:rows] {
		if e >= 0 {
			continue
		}
		model := s.model[formed*f.m : (formed+1)*f.m]
		cols, vals := f.data.Sparse.Row(lo + i)
		for p, j := range cols {
			model[j] -= vals[p]
		}
		s.weights[i] = math.Sqrt(blas.Dot(model, model))
		formed++
	}
}

// passCompressed accumulates the sums for the step of H over compressed rows. If requested, it
// first steps the row of W of each.
func (u *squaredError) passCompressed(ctx context.Context, step bool) error {
	if u.sample != nil {
		return u.passWeighted(ctx, step)
	}
	if step {
		if err := blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) }); err != nil {
			return err
		}
	}
	return u.sumSparse(ctx)
}

// passWeighted is passCompressed with the weights P of the samples: it sums WᵀPW by rows,
// and then WᵀPX by the rows of Xᵀ.
func (u *squaredError) passWeighted(ctx context.Context, step bool) error {
	if u.weights == nil {
		u.weights = make([]float64, u.n)
	}
	r := u.r
	err := u.measurePass(ctx, func(s *scratch, lo, hi int, sum *partialSums) {
		if step {
			u.stepRows(s, lo, hi)
		} else {
			u.dataProducts(s, lo, hi, s.products)
		}
		w, weighted := u.w[lo*r:hi*r], s.weighted[:(hi-lo)*r]
		u.residuals(s, lo, hi)
		copy(weighted, w)
		for i, e := range s.weights[:hi-lo] {
			loss, p := u.sample(e)
			*sum.loss += loss
			*sum.squares += e * e
			u.weights[lo+i] = p
			blas.Scale(p, weighted[i*r:(i+1)*r])
		}
		u.kernels.Gemm(true, false, r, r, hi-lo, 1, weighted, r, w, r, 1, sum.gram, r)
	})
	if err != nil {
		return err
	}
	a := u.data.transpose
	return u.byColumns(ctx, func(_, from, end int, to []float64) {
		for p, i := range a.Col[from:end] {
			blas.Axpy(a.Val[from+p]*u.weights[i], u.w[int(i)*r:int(i)*r+r], to)
		}
	})
}
