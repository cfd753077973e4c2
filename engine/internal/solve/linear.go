package solve

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// linearRows is the number of rows that a worker maps at a time.
const linearRows = 256

// Linear maps points by a product, y = (x − mean)·P. It is both how linear
// methods compute their embedding and how their models map new samples, so that
// a training sample given again gets the same bits.
type Linear struct {
	Kernels    *blas.Kernels
	Threads    int
	Mean       []float64  // m; nil: zeros
	Projection *mat.Dense // m × d
}

// Apply computes blocks of rows as products of their own, so that a row's bits
// depend neither on threads nor on the rows that come with it.
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

// project gives the samples the coordinates of a projection and leaves both in the
// solution.
func (s *Projected) project(in Input, mean []float64, projection *mat.Dense) error {
	_, d := projection.Dims()
	s.Mean, s.Projection = mean, projection
	s.Y = mat.NewDense(in.X.N(), d, nil)
	return Linear{in.Kernels(), in.Threads(), mean, projection}.Apply(in.Context(), in.X.Points(), s.Y)
}
