package measures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// readPoints reads a matrix and checks it. The rows of finite numbers may share storage
// with the matrix and are never written to. measure and what name it in errors.
func readPoints(measure, what string, a mat.Matrix) (blas.Rows, error) {
	if a == nil {
		return blas.Rows{}, fmt.Errorf("%s: no %s given", measure, what)
	}
	n, m := a.Dims()
	if n == 0 || m == 0 {
		return blas.Rows{}, fmt.Errorf("%s: the %s is %d × %d, want at least one row and one column", measure, what, n, m)
	}
	data, err := dense(a, n, m)
	if err != nil {
		return blas.Rows{}, fmt.Errorf("%s: the %s: %w", measure, what, err)
	}
	p := blas.Rows{N: n, M: m, Data: data}
	for i, v := range p.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return blas.Rows{}, fmt.Errorf("%s: the %s has %v in row %d, column %d (counting from 1); leave such rows out", measure, what, v, i/m+1, i%m+1)
		}
	}
	return p, nil
}

// readMap reads data and an embedding of the same samples.
func readMap(measure string, x, y mat.Matrix) (data, shown blas.Rows, err error) {
	if data, err = readPoints(measure, "data", x); err != nil {
		return data, shown, err
	}
	if shown, err = readPoints(measure, "embedding", y); err != nil {
		return data, shown, err
	}
	if data.N != shown.N {
		err = fmt.Errorf("%s: the data has %d rows and the embedding %d; they have to be the same samples", measure, data.N, shown.N)
	}
	return data, shown, err
}

func dense(a mat.Matrix, n, m int) ([]float64, error) {
	if raw, is := a.(mat.RawMatrixer); is && raw.RawMatrix().Stride == m {
		return raw.RawMatrix().Data[:n*m], nil
	}
	s, isSparse, err := sparse.Of(a)
	if err != nil {
		return nil, err
	}
	if isSparse {
		return s.Dense().RawMatrix().Data, nil
	}
	return mat.DenseCopyOf(a).RawMatrix().Data, nil
}

// largest returns the greatest magnitude in x.
func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}

// tame returns the points, scaled by a common power of two if their squares would
// overflow or underflow. The scaling is exact, except for numbers far too small to
// matter compared with the largest, and preserves the order of distances.
func tame(sets ...blas.Rows) []blas.Rows {
	top := 0.0
	for _, p := range sets {
		top = max(top, largest(p.Data))
	}
	e := magnitude.Exponent(top)
	if e == 0 {
		return sets
	}
	scaled := make([]blas.Rows, len(sets))
	for k, p := range sets {
		scaled[k] = blas.Rows{N: p.N, M: p.M, Data: magnitude.Scaled(-e, p.Data)}
	}
	return scaled
}
