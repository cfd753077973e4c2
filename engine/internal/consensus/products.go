package consensus

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Data are the rows of a matrix, dense or sparse, each multiplied by a number.
type Data struct {
	Rows, Cols int
	Dense      []float64
	Sparse     *sparse.CSR
	Scale      []float64 // nil: all are 1
}

// PerMillion returns the data with every row scaled to sum 10⁶: for counts, transcripts
// per million. Rows of zeros stay zero.
func (d Data) PerMillion() Data {
	scale := make([]float64, d.Rows)
	for i := range scale {
		var sum float64
		d.each(i, func(_ int, v float64) { sum += v })
		if sum > 0 {
			scale[i] = 1e6 / sum
		}
	}
	d.Scale = scale
	return d
}

// each calls do with the stored entries of a row.
func (d Data) each(i int, do func(j int, v float64)) {
	scale := 1.0
	if d.Scale != nil {
		scale = d.Scale[i]
	}
	if d.Sparse != nil {
		cols, vals := d.Sparse.Row(i)
		for p, j := range cols {
			do(int(j), scale*vals[p])
		}
		return
	}
	for j, v := range d.Dense[i*d.Cols : (i+1)*d.Cols] {
		do(j, scale*v)
	}
}

// Sums are the results of one pass over data X with coordinates U.
type Sums struct {
	Products []float64 // XᵀU, m × r
	Mean     []float64 // of every column of X
	Squares  []float64 // the sums of its squares
}

// sumChunks is the number of chunks of rows, which are summed separately and then added in order.
const sumChunks = 16

// SumsWith passes over the data once, with r coordinates for each row. O(r) for each entry.
func (d Data) SumsWith(ctx context.Context, threads int, u []float64, r int) (Sums, error) {
	m := d.Cols
	size := (d.Rows + sumChunks - 1) / sumChunks
	parts := make([][]float64, (d.Rows+size-1)/size)
	err := blas.For(ctx, threads, d.Rows, size, func(_, lo, hi int) {
		part := make([]float64, m*(r+2))
		for i := lo; i < hi; i++ {
			row := u[i*r : (i+1)*r]
			d.each(i, func(j int, v float64) {
				blas.Axpy(v, row, part[j*r:j*r+r])
				part[m*r+j] += v
				part[m*(r+1)+j] += v * v
			})
		}
		parts[lo/size] = part
	})
	if err != nil {
		return Sums{}, err
	}
	all := parts[0]
	for _, p := range parts[1:] {
		blas.Axpy(1, p, all)
	}
	blas.Scale(1/float64(d.Rows), all[m*r:m*(r+1)])
	return Sums{all[:m*r], all[m*r : m*(r+1)], all[m*(r+1):]}, nil
}

// Scores returns the least-squares coefficients of minimum norm, r × m, by which coordinates U of n
// samples predict the columns of X, scaled to mean 0 and deviation 1. NaN
// for a constant column.
func (s Sums) Scores(u []float64, n, r int) []float64 {
	m := len(s.Mean)
	gram, sums := make([]float64, r*r), make([]float64, r)
	for i := range n {
		row := u[i*r : (i+1)*r]
		blas.Axpy(1, row, sums)
		for k, v := range row {
			blas.Axpy(v, row, gram[k*r:(k+1)*r])
		}
	}
	inverse := pseudoInverse(gram, r)
	scores := make([]float64, r*m)
	right := make([]float64, r)
	for j := range m {
		mean := s.Mean[j]
		deviation := math.Sqrt(max(0, s.Squares[j]/float64(n)-mean*mean))
		constant := !(deviation > 1e-12*math.Abs(mean)) || deviation == 0
		for k := range right {
			right[k] = (s.Products[j*r+k] - sums[k]*mean) / deviation
		}
		for k := range r {
			if constant {
				scores[k*m+j] = math.NaN()
				continue
			}
			scores[k*m+j] = blas.Dot(inverse[k*r:(k+1)*r], right)
		}
	}
	return scores
}

// pseudoInverse returns that of a positive semidefinite matrix; eigenvalues below 10⁻¹² of the
// largest count as zero.
func pseudoInverse(gram []float64, r int) []float64 {
	var eigen mat.EigenSym
	inverse := make([]float64, r*r)
	if !eigen.Factorize(mat.NewSymDense(r, gram), true) {
		return inverse
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	most := values[r-1]
	for q, value := range values {
		if !(value > 1e-12*most) {
			continue
		}
		v := mat.Col(nil, q, &vectors)
		for k := range r {
			blas.Axpy(v[k]/value, v, inverse[k*r:(k+1)*r])
		}
	}
	return inverse
}
