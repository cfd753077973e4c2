package solvers

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// LargestOf is [Largest] for a symmetric matrix: sparse, of any type that [sparse.Of]
// takes, or dense. A matrix that is not symmetric ([sparse.AsymmetryError]) or not finite
// is an error that names the place.
func LargestOf(ctx context.Context, a mat.Matrix, count int, o Options) (*Eigen, error) {
	if rows, cols := a.Dims(); rows != cols || rows < 1 {
		return nil, fmt.Errorf("solvers: the matrix is %d × %d; give a symmetric one", rows, cols)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	if _, _, isSparse := sparse.OfBytes(a); !isSparse {
		return largestOfDense(ctx, a, count, o)
	}
	rows, copied, err := rowsOf(a, o.Memory)
	if err != nil {
		return nil, err
	}
	if rows, err = checked(rows, nil); err != nil {
		return nil, err
	}
	if o.Memory > 0 {
		o.Memory -= copied
	}
	e, err := Largest(ctx, Operator{Order: rows.Rows, Multiply: func(width int, x, y []float64) { rows.MulBlock(o.Threads, width, x, y) }}, count, o)
	if err == nil {
		e.least, _ = extremes(rowSizes(rows), nil)
	}
	return e, err
}

func largestOfDense(ctx context.Context, a mat.Matrix, count int, o Options) (*Eigen, error) {
	dense, copied := rowMajor(a)
	if o.Memory > 0 && copied >= o.Memory {
		return nil, &MemoryError{Need: copied, Limit: o.Memory}
	}
	if err := finiteEntries(dense); err != nil {
		return nil, err
	}
	if err := sparse.CheckSymmetricDense(dense); err != nil {
		return nil, fmt.Errorf("solvers: A: %w", err)
	}
	if o.Memory > 0 {
		o.Memory -= copied
	}
	e, err := Largest(ctx, Operator{Order: dense.Rows, Multiply: denseProducts(dense, o).Multiply}, count, o)
	if err == nil {
		diagonal := make([]float64, dense.Rows)
		for i := range diagonal {
			diagonal[i] = math.Abs(dense.Data[i*dense.Stride+i])
		}
		e.least, _ = extremes(diagonal, nil)
	}
	return e, err
}
