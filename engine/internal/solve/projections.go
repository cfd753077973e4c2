package solve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// residualLimit is the relative residual up to which a pair of a dense problem
// counts as found.
const residualLimit = 1e-9

// SmallestProjections solves min tr(VᵀQV) under VᵀBV = I: the d eigenvectors of
// Qv = λBv of smallest eigenvalue, after leaving out the first skip. In the axes of
// the problem B is diagonal, and the problem becomes an ordinary one.
func SmallestProjections(dim, skip int) Rule[*align.Projection, *Projected] {
	return func(in Input, d *align.Projection) (*Projected, error) {
		if err := roomInRange(in.Run, d.Order, dim, skip); err != nil {
			return nil, err
		}
		c := d.Whitened()
		count := min(skip+dim+1, d.Order)
		values, vectors := make([]float64, count), make([]float64, count*d.Order)
		work := append([]float64(nil), c...)
		if err := in.Kernels().SymEigRange(d.Order, 0, count, work, d.Order, values, vectors, d.Order, new(blas.Work)); err != nil {
			return nil, err
		}
		s := newProjected()
		norm := rowSumNorm(c, d.Order)
		for j := skip; j < skip+dim; j++ {
			s.add(in.Kernels(), c, d.Order, vectors[j*d.Order:(j+1)*d.Order], values[j], norm)
		}
		if count > skip+dim {
			s.Next = max(values[skip+dim], 0)
			if last := s.Values[dim-1]; s.Next-last <= vector.GramRounding*norm {
				s.Spectrum = &Spectrum{Doubt: fmt.Sprintf("eigenvalues %d and %d agree to rounding: the projection is not determined (take another dim)", skip+dim, skip+dim+1)}
			}
		}
		in.Note("objective", vector.Sum(s.Values))
		chosen := vectors[skip*d.Order : (skip+dim)*d.Order]
		for j := range dim {
			d.Unwhiten(chosen[j*d.Order : (j+1)*d.Order])
		}
		return s, finishProjection(in, s, d.Lift(in.Kernels(), chosen, dim, in.X.M()), skip)
	}
}

// add appends an eigenvalue and measures its residual, relative to the norm of
// the matrix.
func (s *Projected) add(kernels *blas.Kernels, c []float64, order int, v []float64, lambda, norm float64) {
	r := append([]float64(nil), v...)
	kernels.Gemv(false, order, order, 1, c, order, v, -lambda, r)
	residual := math.Sqrt(blas.Dot(r, r))
	if norm > 0 {
		residual /= norm
	}
	s.Values = append(s.Values, max(lambda, 0)) // Q is semidefinite: below zero there is only rounding
	s.Residuals = append(s.Residuals, residual)
	s.Converged = s.Converged && residual <= residualLimit
}

// roomInRange refuses more directions than the problem has.
func roomInRange(in *run.Run, rank, dim, skip int) error {
	if dim+skip <= rank {
		return nil
	}
	if skip > 0 {
		return fmt.Errorf("%s: dim %d after skip %d of data of rank %d; both together are at most %d", in.Method(), dim, skip, rank, rank)
	}
	return fmt.Errorf("%s: dim %d of data of rank %d; give at most %d", in.Method(), dim, rank, rank)
}

// finishProjection embeds the samples by a projection that does not centre them,
// and warns of coordinates that say nothing.
func finishProjection(in Input, s *Projected, projection *mat.Dense, skip int) error {
	if err := s.project(in, nil, projection); err != nil {
		return err
	}
	if !s.Converged {
		in.Warn("some eigenpairs missed their residual: the projection is the best found")
	}
	n, dim := s.Y.Dims()
	for j := range dim {
		low, high := s.Y.At(0, j), s.Y.At(0, j)
		for i := range n {
			low, high = min(low, s.Y.At(i, j)), max(high, s.Y.At(i, j))
		}
		if high-low <= constantShare*max(-low, high) {
			in.Warn("coordinate %d is constant: the columns of the data combine to a constant, which keeps every neighbourhood; ‹skip=%d› leaves it out", j+1, skip+j+1)
			break
		}
	}
	return nil
}

// constantShare: a coordinate that varies by less than this share of its size is
// constant but for rounding.
const constantShare = 1e-6

// rowSumNorm is the largest absolute row sum.
func rowSumNorm(a []float64, n int) float64 {
	var norm float64
	for i := range n {
		var s float64
		for _, v := range a[i*n : i*n+n] {
			s += math.Abs(v)
		}
		norm = max(norm, s)
	}
	return norm
}
