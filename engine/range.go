package engine

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	// rangeCut: directions in which a Gram matrix is below this share of its
	// largest eigenvalue are outside its range.
	rangeCut = 1e-10
	// polishShare: axes lifted from the samples lose about rounding over their share
	// of the largest eigenvalue in orthogonality. Below this one they are mended.
	polishShare = 1e-5
)

// span is the range of a Gram matrix XᵀX of n × m rows: orthonormal axes in which
// it is diagonal. Restricting a problem to it is principal component analysis
// ahead of the method.
type span struct {
	axes   []float64 // rank × m, in descending order of their eigenvalues
	values []float64 // of the Gram matrix, rank of them
	rank   int
}

// rangeOf finds the range of XᵀX from the smaller of XᵀX and XXᵀ. O(nm·min(n, m))
// and an eigenproblem of that order.
func (p *problem) rangeOf(x []float64, n, m int) (*span, error) {
	order, columns := min(n, m), m <= n
	gram, values := p.gramOf(x, n, m, columns), make([]float64, order)
	if err := p.kernels.SymEig(order, gram, order, values, new(blas.Work)); err != nil {
		return nil, err
	}
	s := &span{}
	for s.rank < order && values[order-1] > 0 && values[order-1-s.rank] > rangeCut*values[order-1] {
		s.values = append(s.values, values[order-1-s.rank])
		s.rank++
	}
	vectors := make([]float64, 0, s.rank*order)
	for j := range s.rank {
		v := gram[(order-1-j)*order : (order-j)*order]
		if !columns {
			blas.Scale(1/math.Sqrt(s.values[j]), v)
		}
		vectors = append(vectors, v...)
	}
	if columns {
		s.axes = vectors
		return s, p.ctx.Err()
	}
	s.axes = make([]float64, s.rank*m)
	p.kernels.GemmParallel(p.options.Threads, false, false, s.rank, m, n, 1, vectors, n, x, m, 0, s.axes, m)
	if s.rank > 0 && s.values[s.rank-1] < polishShare*s.values[0] {
		p.orthonormalise(s, m)
	}
	return s, p.ctx.Err()
}

// orthonormalise takes a step A ← A − ½(AAᵀ − I)A, which squares the distance of
// nearly orthonormal rows from orthonormal ones.
func (p *problem) orthonormalise(s *span, m int) {
	r := s.rank
	correction := p.gramOf(s.axes, r, m, false)
	for i := range r {
		correction[i*r+i]--
	}
	next := append([]float64(nil), s.axes...)
	p.kernels.GemmParallel(p.options.Threads, false, false, r, m, r, -0.5, correction, r, s.axes, m, 1, next, m)
	s.axes = next
}

// gramOf returns XᵀX (columns) or XXᵀ of n × m rows, both triangles.
func (p *problem) gramOf(x []float64, n, m int, columns bool) []float64 {
	order, other := n, m
	if columns {
		order, other = m, n
	}
	gram := make([]float64, order*order)
	p.kernels.SyrkParallel(p.options.Threads, columns, order, other, 1, x, m, 0, gram, order)
	mirror(gram, order)
	return gram
}

// mirror copies the upper triangle to the lower one.
func mirror(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
	}
}

// meanOf is the mean of the samples, column by column: a first mean, corrected by
// that of what it leaves, so that many samples cost no digits.
func meanOf(x neighbors.Points) []float64 {
	mean, rest := make([]float64, x.M), make([]float64, x.M)
	for i := range x.N {
		blas.Axpy(1/float64(x.N), x.Row(i), mean)
	}
	for i := range x.N {
		for j, v := range x.Row(i) {
			rest[j] += v - mean[j]
		}
	}
	blas.Axpy(1/float64(x.N), rest, mean)
	return mean
}

// centredRows is a copy of the samples less their mean. A column that varies by no
// more than the rounding of its mean is constant, and becomes zero.
func centredRows(x neighbors.Points, mean []float64) []float64 {
	const rounding = 0x1p-50
	rows, largest := make([]float64, x.N*x.M), make([]float64, x.M)
	for i := range x.N {
		row := rows[i*x.M : (i+1)*x.M]
		for j, v := range x.Row(i) {
			row[j] = v - mean[j]
			largest[j] = max(largest[j], math.Abs(row[j]))
		}
	}
	for j, v := range largest {
		if v > 0 && v <= rounding*math.Abs(mean[j]) {
			for i := range x.N {
				rows[i*x.M+j] = 0
			}
		}
	}
	return rows
}
