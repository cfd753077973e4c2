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
	Products   []float64 // XᵀU, m × r
	Mean       []float64 // of every column of X
	Squares    []float64 // the sums of its squares
	Deviations []float64 // its standard deviations: 0 exactly for a constant column
}

// sumChunks is the number of chunks of rows, which are summed separately and then added in order.
const sumChunks = 16

// SumsWith passes over the data once, with r coordinates for each row. O(r) for each entry.
func (d Data) SumsWith(ctx context.Context, threads int, u []float64, r int) (Sums, error) {
	m := d.Cols
	// Deviations are summed as differences from the first row: squares of a large constant would cancel.
	origin := make([]float64, m)
	d.each(0, func(j int, v float64) { origin[j] = v })
	size := (d.Rows + sumChunks - 1) / sumChunks
	parts := make([]columnSums, (d.Rows+size-1)/size)
	err := blas.For(ctx, threads, d.Rows, size, func(_, lo, hi int) {
		part := newColumnSums(m, r)
		for i := lo; i < hi; i++ {
			row := u[i*r : (i+1)*r]
			d.each(i, func(j int, v float64) {
				blas.Axpy(v, row, part.products[j*r:j*r+r])
				part.sums[j] += v
				part.squares[j] += v * v
				from := v - origin[j]
				part.entries[j]++
				part.differences[j] += from
				part.squaredDifferences[j] += from * from
			})
		}
		parts[lo/size] = part
	})
	if err != nil {
		return Sums{}, err
	}
	all := parts[0]
	for _, p := range parts[1:] {
		blas.Axpy(1, p.all, all.all)
	}
	n := float64(d.Rows)
	deviations := make([]float64, m)
	for j, o := range origin {
		zeros := n - all.entries[j] // entries that are not stored
		difference := (all.differences[j] - zeros*o) / n
		deviations[j] = math.Sqrt(max(0, (all.squaredDifferences[j]+zeros*o*o)/n-difference*difference))
	}
	blas.Scale(1/n, all.sums)
	return Sums{all.products, all.sums, all.squares, deviations}, nil
}

// columnSums are sums over some of the rows, for every column.
type columnSums struct {
	products, sums, squares                  []float64
	entries, differences, squaredDifferences []float64 // of the stored entries
	all                                      []float64 // which the others are parts of
}

func newColumnSums(m, r int) columnSums {
	all := make([]float64, m*(r+5))
	of := func(i int) []float64 { return all[m*(r+i) : m*(r+i+1)] }
	return columnSums{all[:m*r], of(0), of(1), of(2), of(3), of(4), all}
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
		deviation := s.Deviations[j]
		constant := !(deviation > 1e-12*math.Abs(mean))
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
