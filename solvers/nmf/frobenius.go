package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// leastResidual is the floor of the residuals whose inverses weight the samples
// under L2,1.
const leastResidual = 1e-12

// squaredError is the multiplicative rule for the squared error, with a weight for
// every sample under L2,1: Gram forms throughout, YC is formed only to measure
// residuals.
type squaredError struct {
	*core
	graph    *graphTerm
	weighted bool // L2,1
}

func (u *squaredError) prepare(ctx context.Context) error {
	if err := u.graph.apply(ctx); err != nil {
		return err
	}
	if u.data.Sparse != nil {
		return u.sumSparse(ctx)
	}
	return u.pass(ctx, u.accumulate)
}

func (u *squaredError) step(ctx context.Context, _ int, _ bool) error {
	if !u.codesFirst {
		u.stepComponents(u.share.num, u.gramDenominators(), u.m)
	}
	if err := u.stepCoordinates(ctx); err != nil {
		return err
	}
	if u.codesFirst {
		u.stepComponents(u.share.num, u.gramDenominators(), u.m)
	}
	return nil
}

// stepCoordinates updates Y and what is summed with it.
func (u *squaredError) stepCoordinates(ctx context.Context) error {
	var err error
	if u.data.Sparse != nil {
		err = blas.For(ctx, u.threads, u.n, u.block, func(worker, lo, hi int) { u.stepRows(&u.scratch[worker], lo, hi) })
		if err == nil {
			err = u.sumSparse(ctx)
		}
	} else {
		err = u.pass(ctx, func(s *scratch, lo, hi int, sum *shares) {
			u.stepRows(s, lo, hi)
			u.accumulate(s, lo, hi, sum)
		})
	}
	if err != nil {
		return err
	}
	return u.graph.apply(ctx)
}

// stepRows is y ← y ∘ (dCᵀ + λΦ⁻y)/(yCCᵀ + λΦ⁺y) for a block of rows of Y, spec
// eq. 13 with P = 1 or, row by row, P = 1/‖e‖.
func (u *squaredError) stepRows(s *scratch, lo, hi int) {
	r, rows := u.r, hi-lo
	num, den := s.num[:rows*r], s.den[:rows*r]
	u.dataProducts(lo, hi, num)
	u.finishRows(s, lo, hi, num, den)
}

func (u *squaredError) finishRows(s *scratch, lo, hi int, num, den []float64) {
	r, rows := u.r, hi-lo
	y := u.y[lo*r : hi*r]
	u.kernels.Gemm(false, false, rows, r, r, 1, y, r, u.gramC, r, 0, den, r)
	if u.graph != nil {
		if u.weighted {
			u.residuals(s, lo, hi)
			for i, e := range s.weights[:rows] {
				p := 1 / max(e, leastResidual)
				blas.Scale(p, num[i*r:(i+1)*r])
				blas.Scale(p, den[i*r:(i+1)*r])
			}
		}
		u.graph.add(u.graph.lambda, lo, num, den)
	}
	blas.MultiplyRatios(y, u.floor, vanished, num, den)
}

// residuals writes ‖d − yC‖ of a block of rows to s.weights.
func (u *squaredError) residuals(s *scratch, lo, hi int) {
	u.modelRows(lo, hi, s.model)
	for i := range hi - lo {
		s.weights[i] = math.Sqrt(blas.SquaredDistance(u.data.Dense[(lo+i)*u.m:(lo+i+1)*u.m], s.model[i*u.m:(i+1)*u.m]))
	}
}

// accumulate adds a block's share of YᵀPD and YᵀPY.
func (u *squaredError) accumulate(s *scratch, lo, hi int, sum *shares) {
	m, r, rows := u.m, u.r, hi-lo
	y := u.y[lo*r : hi*r]
	weighted := y
	if u.weighted {
		u.residuals(s, lo, hi)
		weighted = s.weighted[:rows*r]
		copy(weighted, y)
		for i, e := range s.weights[:rows] {
			*sum.loss += e
			*sum.squares += e * e
			blas.Scale(1/max(e, leastResidual), weighted[i*r:(i+1)*r])
		}
	}
	u.kernels.Gemm(true, false, r, m, rows, 1, weighted, r, u.rows(lo, hi), m, sum.beta, sum.num, m)
	u.kernels.Gemm(true, false, r, r, rows, 1, weighted, r, y, r, 1, sum.gram, r)
}

func (u *squaredError) point(context.Context) (Point, error) {
	squares, loss := *u.share.squares, *u.share.loss
	if !u.weighted {
		squares = u.gramResidual()
		loss = squares
	}
	reg := u.graph.value()
	return Point{Objective: loss + reg, Surrogate: loss + reg, Residual: u.relative(squares), Regulariser: reg}, nil
}

func (u *squaredError) plan() string {
	if u.weighted {
		return "L2,1: products with the data once each, residuals tile by tile, one pass over the data an iteration"
	}
	return "Gram forms: D·Cᵀ and YᵀD in one pass over the data an iteration"
}

func (u *squaredError) normalised() { u.normalise(u.graph) }
