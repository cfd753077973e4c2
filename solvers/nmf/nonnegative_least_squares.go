package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// nonnegativeTolerance is the residual at which [NonnegativeLeastSquares] ends, by default,
	// and nonnegativeRounds how many rounds of sweeps and steps it takes at most.
	nonnegativeTolerance = 1e-10
	nonnegativeRounds    = 200
)

// NonnegativeLeastSquares minimises ‖Ax − b‖ over x ≥ 0 for many right sides b. A is rows ×
// cols, with entries of any sign, and b has a right side in every row: sides × rows numbers,
// both by rows. It returns the solutions, sides × cols, and the largest residual among them:
//
//	max over k of |min(x_k‖a_k‖/‖b‖, g_k/(‖a_k‖‖b‖))|,  g = Aᵀ(Ax − b),  a_k the columns of A,
//
// which has no unit and is 0 at the minimum alone. A solution is sought until its residual
// is at most the tolerance (0: 1e-10), in 200 rounds at most: eight sweeps of coordinate
// descent, then a step to the minimum over the coordinates that are positive (after Lawson
// and Hanson, Solving Least Squares Problems, 1974, chapter 23). A column of zeros has the
// coefficient 0; of columns that depend on each other one solution of several is found.
//
// It works with AᵀA, 2·rows·cols² flops, and then needs A no more: a right side takes
// 2·rows·cols flops for its products and at most cols³/3 for a step. The condition of A counts
// squared, so that columns that agree to eight digits count as equal. The number of threads
// (0: all cores) changes no bit.
//
// It refuses shapes that contradict each other, numbers that are not finite, and those whose
// squares are not.
func NonnegativeLeastSquares(ctx context.Context, rows, cols int, a []float64, sides int, b []float64, tolerance float64, threads int) (x []float64, residual float64, err error) {
	switch {
	case rows < 1 || cols < 1 || len(a) != rows*cols:
		return nil, 0, fmt.Errorf("nmf: %d numbers are no %d × %d matrix A; give at least one row and one column", len(a), rows, cols)
	case sides < 1 || len(b) != sides*rows:
		return nil, 0, fmt.Errorf("nmf: %d numbers are no %d right sides of %d numbers each; give one right side at least", len(b), sides, rows)
	case !(tolerance >= 0) || math.IsInf(tolerance, 0):
		return nil, 0, fmt.Errorf("nmf: the tolerance is %v; give a finite number ≥ 0", tolerance)
	}
	for name, list := range map[string][]float64{"A": a, "the right sides": b} {
		if squares := blas.Dot(list, list); squares-squares != 0 {
			return nil, 0, fmt.Errorf("nmf: the squares of %s add up to %v; remove what is not finite, and scale what is large", name, squares)
		}
	}
	setPositive(&tolerance, nonnegativeTolerance)
	kernels, err := blas.Select("")
	if err != nil {
		return nil, 0, err
	}
	gram, products := make([]float64, cols*cols), make([]float64, sides*cols)
	kernels.SyrkParallel(threads, true, cols, rows, 1, a, cols, 0, gram, cols)
	mirror(cols, gram)
	kernels.GemmParallel(threads, false, false, sides, cols, rows, 1, b, rows, a, cols, 0, products, cols)
	x = make([]float64, sides*cols)
	workers := make([]*leastSquares, blas.Threads(threads))
	residuals := make([]float64, sides)
	err = blas.For(ctx, threads, sides, 64, func(worker, lo, hi int) {
		if workers[worker] == nil {
			workers[worker] = newLeastSquares(cols)
		}
		for i := lo; i < hi; i++ {
			side := b[i*rows : (i+1)*rows]
			residuals[i] = workers[worker].solve(gram, products[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols],
				math.Sqrt(blas.Dot(side, side)), tolerance, nonnegativeRounds)
		}
	})
	for _, v := range residuals {
		residual = max(residual, v)
	}
	return x, residual, err
}
