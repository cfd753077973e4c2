package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// L21 is Σᵢ ‖(X − WH)ᵢ‖₂ (Kong et al. 2011): samples with large residuals count less.
// A sample's weight cancels where it is encoded by itself.
var L21 = &Loss{
	name: "l21",
	algorithms: map[string]algorithm{
		Multiplicative: {updates: func(f *factorization, g *graphTerm, _ Options) updates {
			return residualLengths{&squaredError{factorization: f, graph: g, sample: lengthOf}}
		}, weighted: func(f *factorization, _ Options) updates { return newEntryUpdates(f, entryLengths) }},
	},
	encodedBy: Frobenius,
	sparse:    true,
	memory:    memory{tiles: 1, rows: 1},
}

// leastResidual is the floor of the residuals whose inverses weight the samples.
const leastResidual = 1e-12

// lengthOf is the loss of a residual, and the weight that its sample has by it.
func lengthOf(e float64) (loss, weight float64) { return e, 1 / max(e, leastResidual) }

// residualLengths is the updates of L2,1: the updates of the squared error with weights.
type residualLengths struct{ *squaredError }

func (u residualLengths) point(context.Context) (Point, error) {
	return u.measured(*u.sums.loss, *u.sums.squares), nil
}

func (u residualLengths) plan() string {
	if u.data.Sparse != nil {
		return "L2,1: products with the stored entries, residuals of Gram forms, and row by row where these cancel"
	}
	return "L2,1: products with the data once each, residuals tile by tile, one pass over the data an iteration"
}

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

// cancelled: where less than this share of ‖x‖² + ‖wH‖² is left of their difference by
// Gram forms, a residual is computed entry by entry. Larger differences have lost at most four of
// the sixteen digits, in the square.
const cancelled = 1e-4

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
	return u.byColumns(ctx, func(_ int, rows []int32, vals, to []float64) {
		for p, i := range rows {
			blas.Axpy(vals[p]*u.weights[i], u.w[int(i)*r:int(i)*r+r], to)
		}
	})
}
