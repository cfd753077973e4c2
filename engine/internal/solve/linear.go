package solve

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// linearRows is the number of rows that a worker maps at a time.
const linearRows = 256

// Linear maps points by a product, y = (x − mean)·P. Linear
// methods compute their embedding with it and their models map new samples with it, so
// a training sample that is mapped again gets the same bits.
type Linear struct {
	Kernels    *blas.Kernels
	Threads    int
	Mean       []float64  // m; nil: zeros
	Projection *mat.Dense // m × d
}

// Apply computes blocks of rows as separate products, so the bits of a row
// depend neither on threads nor on the other rows.
func (l Linear) Apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	m, d := l.Projection.Dims()
	p, y := l.Projection.RawMatrix(), dst.RawMatrix()
	scratch := make([][]float64, blas.Threads(l.Threads))
	return blas.For(ctx, l.Threads, points.N, linearRows, func(w, lo, hi int) {
		rows := points.Data[lo*m : hi*m]
		if l.Mean != nil {
			if scratch[w] == nil {
				scratch[w] = make([]float64, linearRows*m)
			}
			rows = scratch[w][:len(rows)]
			for i := lo; i < hi; i++ {
				row := rows[(i-lo)*m : (i-lo+1)*m]
				for j, v := range points.Row(i) {
					row[j] = v - l.Mean[j]
				}
			}
		}
		l.Kernels.Gemm(false, false, hi-lo, d, m, 1, rows, m, p.Data, p.Stride, 0, y.Data[lo*y.Stride:], y.Stride)
	})
}

// ApplySparse is Apply for compressed rows, xP − mean·P. O(d) for each entry.
func (l Linear) ApplySparse(ctx context.Context, a *sparse.CSR, dst *mat.Dense) error {
	_, d := l.Projection.Dims()
	shift := make([]float64, d)
	for j, v := range l.Mean {
		blas.Axpy(-v, l.Projection.RawRowView(j), shift)
	}
	return blas.For(ctx, l.Threads, a.Rows, linearRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			out := dst.RawRowView(i)
			copy(out, shift)
			cols, vals := a.Row(i)
			for q, c := range cols {
				blas.Axpy(vals[q], l.Projection.RawRowView(int(c)), out)
			}
		}
	})
}

// project computes the coordinates of the samples by a projection, and stores both in the
// solution.
func (s *Projected) project(in Input, mean []float64, projection *mat.Dense) error {
	_, d := projection.Dims()
	s.Mean, s.Projection = mean, projection
	s.Y = mat.NewDense(in.X.N(), d, nil)
	l := Linear{in.Kernels(), in.Threads(), mean, projection}
	if a := in.X.Compressed(); a != nil {
		return l.ApplySparse(in.Context(), a, s.Y)
	}
	stored, rowOf := in.X.Stored()
	if rowOf == nil {
		return l.Apply(in.Context(), stored.Points(), s.Y)
	}
	y := mat.NewDense(stored.N(), d, nil)
	err := l.Apply(in.Context(), stored.Points(), y)
	for i, row := range rowOf {
		s.Y.SetRow(i, y.RawRowView(int(row)))
	}
	return err
}
