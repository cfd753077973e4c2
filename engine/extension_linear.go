package engine

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// linearRows is the number of rows that a worker maps at a time.
const linearRows = 256

// linear maps points by a product, y = (x − mean)·P. It is both how linear
// methods compute their embedding and how their models map new samples, so that
// a training sample given again gets the same bits.
type linear struct {
	resources
	mean       []float64  // m; nil: zeros
	projection *mat.Dense // m × d
}

// linearExtension is the extendRule of methods whose solution is a projection.
func linearExtension(_ *problem, _ *alignment, s *solution) (*extension, error) {
	m, _ := s.projection.Dims()
	mean := s.mean
	if mean == nil {
		mean = make([]float64, m)
	}
	return byProjection(mean, s.projection), nil
}

// byProjection is the linear extension y = (x − mean)·P.
func byProjection(mean []float64, projection *mat.Dense) *extension {
	return &extension{kind: "linear", arrays: map[string]*mat.Dense{"mean": mat.NewDense(1, len(mean), mean), "projection": projection}}
}

// newLinear reads the arrays "mean", 1 × m, and "projection", m × d.
func newLinear(e *extension, r resources) (mapping, error) {
	projection, err := e.array("projection", 0, 0)
	if err != nil {
		return nil, err
	}
	m, _ := projection.Dims()
	mean, err := e.array("mean", 1, m)
	if err != nil {
		return nil, err
	}
	l := &linear{resources: r, projection: projection}
	if row := mean.RawRowView(0); !isZero(row) {
		l.mean = row
	}
	return l, nil
}

func (l *linear) dims() (features, dim int) { return l.projection.Dims() }

// apply computes blocks of rows as products of their own, so that a row's bits
// depend neither on threads nor on the rows that come with it.
func (l *linear) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	m, d := l.projection.Dims()
	p, y := l.projection.RawMatrix(), dst.RawMatrix()
	scratch := make([][]float64, blas.Threads(l.threads))
	return blas.For(ctx, l.threads, points.N, linearRows, func(w, lo, hi int) {
		rows := points.Data[lo*m : hi*m]
		if l.mean != nil {
			if scratch[w] == nil {
				scratch[w] = make([]float64, linearRows*m)
			}
			rows = scratch[w][:len(rows)]
			for i := lo; i < hi; i++ {
				row := rows[(i-lo)*m : (i-lo+1)*m]
				for j, v := range points.Row(i) {
					row[j] = v - l.mean[j]
				}
			}
		}
		l.kernels.Gemm(false, false, hi-lo, d, m, 1, rows, m, p.Data, p.Stride, 0, y.Data[lo*y.Stride:], y.Stride)
	})
}

// project gives the samples of p the coordinates of a projection and leaves both
// in the solution.
func (s *solution) project(p *problem, mean []float64, projection *mat.Dense) error {
	_, d := projection.Dims()
	s.mean, s.projection = mean, projection
	s.y = mat.NewDense(p.x.N, d, nil)
	l := &linear{resources{p.kernels, p.options.Threads}, mean, projection}
	return l.apply(p.ctx, p.x, s.y)
}
