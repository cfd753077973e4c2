package layout

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// flatShare: a principal axis along which the picture has less than this share of its
// largest variance is flat.
const flatShare = 1e-24

// principal turns coordinates onto their principal axes, the widest first, and makes
// their columns of mean 0 and length 1, the largest entry positive. Flat ones are zero.
func principal(kernels *blas.Kernels, y *mat.Dense) error {
	n, d := y.Dims()
	mean := make([]float64, d)
	for i := range n {
		blas.Axpy(1/float64(n), y.RawRowView(i), mean)
	}
	gram := make([]float64, d*d)
	for i := range n {
		row := y.RawRowView(i)
		blas.Axpy(-1, mean, row)
		for j, v := range row {
			blas.Axpy(v, row, gram[j*d:j*d+d])
		}
	}
	values := make([]float64, d)
	if err := kernels.SymEig(d, gram, d, values, new(blas.Work)); err != nil {
		return err
	}
	turned := make([]float64, d)
	for i := range n {
		row := y.RawRowView(i)
		for j := range d {
			turned[j] = blas.Dot(row, gram[(d-1-j)*d:(d-j)*d])
		}
		copy(row, turned)
	}
	for j := range d {
		column := mat.Col(nil, j, y)
		if square := blas.Dot(column, column); square > flatShare*values[d-1] {
			blas.Scale(1/math.Sqrt(square), column)
		} else {
			clear(column)
		}
		vector.FixSign(column)
		y.SetCol(j, column)
	}
	return nil
}
