package solve

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

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
		var taken [][]float64 // an orthonormal basis of the columns of G
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
		in.Note("objective", objective)
		return s, finishProjection(in, s, d.Lift(in.Kernels(), chosen, dim, in.X.M()), skip)
	}
}

// compression is PCP for the projector P off an orthonormal basis, plus what moves
// the basis itself to the far end of the spectrum.
func compression(kernels *blas.Kernels, c []float64, r int, basis [][]float64, norm float64) []float64 {
	out := append([]float64(nil), c...)
	away := 2 * norm
	if away == 0 {
		away = 1
	}
	w := make([]float64, r)
	for _, g := range basis {
		// With w = Cg the compression is C − wgᵀ − gwᵀ + (gᵀw)ggᵀ, and C the last one.
		kernels.Gemv(false, r, r, 1, out, r, g, 0, w)
		blas.Axpy(-(blas.Dot(g, w)+away)/2, g, w)
		for i := range r {
			blas.Axpy(-w[i], g, out[i*r:(i+1)*r])
			blas.Axpy(-g[i], w, out[i*r:(i+1)*r])
		}
	}
	return out
}
