package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/eigen"
)

// operator is an orthant_operator: a matrix that the caller knows by its products.
type operator struct {
	rows, cols int64
	// multiply computes Y = A·X, or Aᵀ·X; anything but 0 ends the task.
	multiply func(transposed bool, width int, x, y []float64) int

	ended atomic.Int64 // what multiply returned when it ended the task
}

func (o *operator) check() error {
	const most = 1<<31 - 1
	switch {
	case o.multiply == nil:
		return fmt.Errorf("products: the function is NULL; give one that multiplies")
	case o.rows < 1 || o.cols < 1 || o.rows > most || o.cols > most:
		return fmt.Errorf("products: the matrix is %d × %d; give its numbers of rows and columns, fewer than 2³¹", o.rows, o.cols)
	}
	return nil
}

// product is one of the two products. When the caller ends the task, the context is
// cancelled, and what is left of the work sees zeros.
func (o *operator) product(transposed bool, cancel func()) func(width int, x, y []float64) {
	in, out := o.cols, o.rows
	if transposed {
		in, out = out, in
	}
	return func(width int, x, y []float64) {
		x, y = x[:int(in)*width], y[:int(out)*width]
		if o.ended.Load() != 0 {
			clear(y)
			return
		}
		if code := o.multiply(transposed, width, x, y); code != 0 {
			o.ended.Store(int64(code))
			clear(y)
			cancel()
		}
	}
}

// by runs a solver with the operator, and tells whether it was the caller who ended it.
func (o *operator) by(ctx context.Context, solve func(ctx context.Context, a eigen.Rectangular) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := solve(ctx, eigen.Rectangular{
		Rows: int(o.rows), Cols: int(o.cols),
		Multiply: o.product(false, cancel), MultiplyTransposed: o.product(true, cancel),
	})
	if code := o.ended.Load(); code != 0 {
		return &failure{statusCanceled, fmt.Sprintf("the function that multiplies returned %d, which ended the task", code)}
	}
	return err
}

// square refuses an operator of another shape.
func (o *operator) square() error {
	if o.rows != o.cols {
		return fmt.Errorf("products: the matrix is %d × %d; give a symmetric one", o.rows, o.cols)
	}
	return nil
}

// diagonal is the diagonal of M, given as a column.
func diagonal(v *view) mat.Matrix {
	x, _ := v.dense()
	return mat.NewVecDense(int(v.rows), mat.Col(nil, 0, x))
}
