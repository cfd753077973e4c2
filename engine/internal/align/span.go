package align

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

const (
	// rangeCut: directions in which a Gram matrix is below this share of its
	// largest eigenvalue are outside its range.
	rangeCut = 1e-10
	// polishShare: axes lifted from the samples lose orthogonality by about the rounding error divided by
	// their share of the largest eigenvalue. Below this share they are reorthonormalised.
	polishShare = 1e-5
)

// Span is the range of a Gram matrix XᵀX of n × m rows: orthonormal axes in which
// it is diagonal. Restricting a problem to it is a principal component analysis
// before the method.
type Span struct {
	Axes   []float64 // rank × m, by descending eigenvalue
	Values []float64 // the rank eigenvalues of the Gram matrix
	Rank   int
}

// rangeOf finds the range of XᵀX of n × m rows from the smaller of XᵀX and XXᵀ. O(nm·min(n, m))
// and an eigenproblem of that order.
func rangeOf(job *run.Run, x []float64, n, m int) (*Span, error) {
	order, columns := min(n, m), m <= n
	gram, values := GramOf(job, x, n, m, columns), make([]float64, order)
	if err := job.Kernels().SymEig(order, gram, order, values, new(blas.Work)); err != nil {
		return nil, err
	}
	s := &Span{}
	for s.Rank < order && values[order-1] > 0 && values[order-1-s.Rank] > rangeCut*values[order-1] {
		s.Values = append(s.Values, values[order-1-s.Rank])
		s.Rank++
	}
	vectors := make([]float64, 0, s.Rank*order)
	for j := range s.Rank {
		v := gram[(order-1-j)*order : (order-j)*order]
		if !columns {
			blas.Scale(1/math.Sqrt(s.Values[j]), v)
		}
		vectors = append(vectors, v...)
	}
	if columns {
		s.Axes = vectors
		return s, job.Err()
	}
	s.Axes = make([]float64, s.Rank*m)
	job.Kernels().GemmParallel(job.Threads(), false, false, s.Rank, m, n, 1, vectors, n, x, m, 0, s.Axes, m)
	if s.Rank > 0 && s.Values[s.Rank-1] < polishShare*s.Values[0] {
		orthonormalize(job, s, m)
	}
	return s, job.Err()
}

// spanBytes returns the peak memory of [rangeOf] in addition to the rows.
func spanBytes(n, m int) int64 {
	bytes := eigenBytes(min(n, m))
	if m > n {
		bytes = max(bytes, 2*numbersOf(n, n)+2*numbersOf(n, m))
	}
	return bytes
}

// orthonormalize makes one step A ← A − ½(AAᵀ − I)A, which squares the deviation of
// nearly orthonormal rows from orthonormality.
func orthonormalize(job *run.Run, s *Span, m int) {
	r := s.Rank
	correction := GramOf(job, s.Axes, r, m, false)
	for i := range r {
		correction[i*r+i]--
	}
	next := append([]float64(nil), s.Axes...)
	job.Kernels().GemmParallel(job.Threads(), false, false, r, m, r, -0.5, correction, r, s.Axes, m, 1, next, m)
	s.Axes = next
}

// GramOf returns XᵀX (columns) or XXᵀ of n × m rows, both triangles.
func GramOf(job *run.Run, x []float64, n, m int, columns bool) []float64 {
	order, other := n, m
	if columns {
		order, other = m, n
	}
	gram := make([]float64, order*order)
	job.Kernels().SyrkParallel(job.Threads(), columns, order, other, 1, x, m, 0, gram, order)
	vector.Mirror(gram, order)
	return gram
}
