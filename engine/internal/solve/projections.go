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

// residualLimit is the relative residual up to which an eigenpair of a dense problem
// counts as converged.
const residualLimit = 1e-9

// SmallestProjections solves min tr(VᵀQV) under VᵀBV = I: the eigenvectors of
// Qv = λBv for the d smallest eigenvalues after the first skip. In the axes of
// the problem B is diagonal, and the problem becomes a standard one.
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
		run.Measure(in.Run, "objective", d.Unit, vector.Sum(s.Values))
		chosen := vectors[skip*d.Order : (skip+dim)*d.Order]
		for j := range dim {
			d.Unwhiten(chosen[j*d.Order : (j+1)*d.Order])
		}
		return s, finishProjection(in, s, d.Lift(in.Kernels(), chosen, dim, in.X.M()), skip)
	}
}

// add appends an eigenvalue and its residual, relative to the norm of
// the matrix.
func (s *Projected) add(kernels *blas.Kernels, c []float64, order int, v []float64, lambda, norm float64) {
	r := append([]float64(nil), v...)
	kernels.Gemv(false, order, order, 1, c, order, v, -lambda, r)
	residual := math.Sqrt(blas.Dot(r, r))
	if norm > 0 {
		residual /= norm
	}
	s.Values = append(s.Values, max(lambda, 0)) // Q is semidefinite: negative values are rounding errors
	s.Residuals = append(s.Residuals, residual)
	s.Converged = s.Converged && residual <= residualLimit
}

// roomInRange returns an error if more directions are requested than the problem has.
func roomInRange(in *run.Run, rank, dim, skip int) error {
	if dim+skip <= rank {
		return nil
	}
	if skip > 0 {
		return fmt.Errorf("%s: dim %d after skip %d of data of rank %d; both together are at most %d", in.Method(), dim, skip, rank, rank)
	}
	return fmt.Errorf("%s: dim %d of data of rank %d; give at most %d", in.Method(), dim, rank, rank)
}

// finishProjection embeds the samples by a projection without centring,
// and warns of coordinates without information.
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
// constant up to rounding.
const constantShare = 1e-6

// rowSumNorm returns the largest absolute row sum.
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

// SuccessiveProjections solves, one direction after the other,
//
//	aₖ = argmin aᵀQa / aᵀBa   under ‖a‖ = 1, a ⟂ a₁, …, aₖ₋₁
//
// (Cai, He, Han, Zhang 2006), whose stationarity condition is their eigenproblem of
// (I − B⁻¹A(AᵀB⁻¹A)⁻¹Aᵀ)B⁻¹Q. With u = B^½a it is symmetric: the smallest eigenpair
// of C = B^−½QB^−½ on the complement of G = B^−½A. Every direction costs an
// eigenproblem of the order of Q.
func SuccessiveProjections(dim, skip int) Rule[*align.Projection, *Projected] {
	return func(in Input, d *align.Projection) (*Projected, error) {
		if err := roomInRange(in.Run, d.Order, dim, skip); err != nil {
			return nil, err
		}
		r := d.Order
		c := d.Whitened()
		norm := rowSumNorm(c, r)
		s := newProjected()
		var taken [][]float64 // orthonormal basis of the columns of G
		chosen := make([]float64, 0, dim*r)
		objective, progress := 0.0, in.Fraction("solve")
		for k := range min(skip+dim+1, r) {
			if err := in.Err(); err != nil {
				return nil, err
			}
			compressed := compression(in.Kernels(), c, r, taken, norm)
			work := append([]float64(nil), compressed...)
			value, u := make([]float64, 1), make([]float64, r)
			if err := in.Kernels().SymEigRange(r, 0, 1, work, r, value, u, r, new(blas.Work)); err != nil {
				return nil, err
			}
			if k == skip+dim {
				s.Next = max(value[0], 0)
				break
			}
			vector.Orthogonalize(taken, u)
			if k >= skip {
				s.add(in.Kernels(), compressed, r, u, value[0], norm)
			}
			d.Unwhiten(u)
			vector.Normalize(u)
			if k >= skip {
				chosen = append(chosen, u...)
				objective += d.Value(u)
			}
			d.Unwhiten(u)
			vector.Orthogonalize(taken, u)
			taken = append(taken, u)
			progress(float64(k+1) / float64(skip+dim))
		}
		run.Measure(in.Run, "objective", run.Square, objective)
		return s, finishProjection(in, s, d.Lift(in.Kernels(), chosen, dim, in.X.M()), skip)
	}
}

// compression returns PCP for the projector P orthogonal to an orthonormal basis, plus a term that moves
// the basis itself to the far end of the spectrum.
func compression(kernels *blas.Kernels, c []float64, r int, basis [][]float64, norm float64) []float64 {
	out := append([]float64(nil), c...)
	away := 2 * norm
	if away == 0 {
		away = 1
	}
	w := make([]float64, r)
	for _, g := range basis {
		// With w = Cg the compression is C − wgᵀ − gwᵀ + (gᵀw)ggᵀ, where C is the preceding one.
		kernels.Gemv(false, r, r, 1, out, r, g, 0, w)
		blas.Axpy(-(blas.Dot(g, w)+away)/2, g, w)
		for i := range r {
			blas.Axpy(-w[i], g, out[i*r:(i+1)*r])
			blas.Axpy(-g[i], w, out[i*r:(i+1)*r])
		}
	}
	return out
}
