package engine

import (
	"github.com/orthant-go/orthant/blas"
)

// successiveProjections solves, one direction after the other,
//
//	aₖ = argmin aᵀQa / aᵀBa   under ‖a‖ = 1, a ⟂ a₁, …, aₖ₋₁
//
// (Cai, He, Han, Zhang 2006), whose stationarity condition is their eigenproblem of
// (I − B⁻¹A(AᵀB⁻¹A)⁻¹Aᵀ)B⁻¹Q. With u = B^½a it is symmetric: the smallest eigenpair
// of C = B^−½QB^−½ on the complement of G = B^−½A. Every direction costs an
// eigenproblem of the order of Q.
func successiveProjections(dim, skip int) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		d := a.dense
		if err := p.roomInRange(d.order, skip); err != nil {
			return nil, err
		}
		r := d.order
		c := d.whitened()
		norm := rowSumNorm(c, r)
		s := newProjected()
		var taken [][]float64 // an orthonormal basis of the columns of G
		chosen := make([]float64, 0, dim*r)
		objective, progress := 0.0, p.fraction("solve")
		for k := range min(skip+dim+1, r) {
			if err := p.ctx.Err(); err != nil {
				return nil, err
			}
			compressed := compression(p.kernels, c, r, taken, norm)
			work := append([]float64(nil), compressed...)
			value, u := make([]float64, 1), make([]float64, r)
			if err := p.kernels.SymEigRange(r, 0, 1, work, r, value, u, r, new(blas.Work)); err != nil {
				return nil, err
			}
			if k == skip+dim {
				s.next = max(value[0], 0)
				break
			}
			orthogonalise(taken, u)
			if k >= skip {
				s.add(p.kernels, compressed, r, u, value[0], norm)
			}
			d.unwhiten(u)
			normalise(u)
			if k >= skip {
				chosen = append(chosen, u...)
				objective += d.value(u)
			}
			d.unwhiten(u)
			orthogonalise(taken, u)
			taken = append(taken, u)
			progress(float64(k+1) / float64(skip+dim))
		}
		p.details["objective"] = objective
		return s, p.finishProjection(s, d.lift(p.kernels, chosen, dim, p.x.M), skip)
	}
}

// value is aᵀQa.
func (d *denseProblem) value(a []float64) float64 {
	var v float64
	for i, x := range a {
		v += x * blas.Dot(d.q[i*d.order:(i+1)*d.order], a)
	}
	return v
}

// orthogonalise removes from u its components along an orthonormal basis, twice
// for the sake of rounding, and gives it unit length.
func orthogonalise(basis [][]float64, u []float64) {
	for range 2 {
		blas.OrthogonalizeOnce(basis, u)
		normalise(u)
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
