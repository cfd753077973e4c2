package engine

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// residualLimit is the relative residual up to which a pair of a dense problem
// counts as found.
const residualLimit = 1e-9

// smallestProjections solves min tr(VᵀQV) under VᵀBV = I: the d eigenvectors of
// Qv = λBv of smallest eigenvalue, after leaving out the first skip. In the axes of
// the problem B is diagonal, and the problem becomes an ordinary one.
func smallestProjections(dim, skip int) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		d := a.dense
		if err := p.roomInRange(d.order, skip); err != nil {
			return nil, err
		}
		c := d.whitened()
		count := min(skip+dim+1, d.order)
		values, vectors := make([]float64, count), make([]float64, count*d.order)
		work := append([]float64(nil), c...)
		if err := p.kernels.SymEigRange(d.order, 0, count, work, d.order, values, vectors, d.order, new(blas.Work)); err != nil {
			return nil, err
		}
		s := newProjected()
		norm := rowSumNorm(c, d.order)
		for j := skip; j < skip+dim; j++ {
			s.add(p.kernels, c, d.order, vectors[j*d.order:(j+1)*d.order], values[j], norm)
		}
		if count > skip+dim {
			s.next = max(values[skip+dim], 0)
			if last := s.values[dim-1]; s.next-last <= roundingShare*norm {
				p.warn("eigenvalues %d and %d agree to rounding: the projection is not determined (take another dim)", skip+dim, skip+dim+1)
			}
		}
		p.details["objective"] = sum(s.values)
		chosen := vectors[skip*d.order : (skip+dim)*d.order]
		for j := range dim {
			d.unwhiten(chosen[j*d.order : (j+1)*d.order])
		}
		return s, p.finishProjection(s, d.lift(p.kernels, chosen, dim, p.x.M), skip)
	}
}

// newProjected is a solution to add pairs to.
func newProjected() *solution {
	return &solution{next: math.NaN(), angle: math.NaN(), converged: true}
}

// add appends an eigenvalue and measures its residual, relative to the norm of
// the matrix.
func (s *solution) add(kernels *blas.Kernels, c []float64, order int, v []float64, lambda, norm float64) {
	r := append([]float64(nil), v...)
	kernels.Gemv(false, order, order, 1, c, order, v, -lambda, r)
	residual := math.Sqrt(blas.Dot(r, r))
	if norm > 0 {
		residual /= norm
	}
	s.values = append(s.values, max(lambda, 0)) // Q is semidefinite: below zero there is only rounding
	s.residuals = append(s.residuals, residual)
	s.converged = s.converged && residual <= residualLimit
}

// roomInRange refuses more directions than the problem has.
func (p *problem) roomInRange(rank, skip int) error {
	if p.dim+skip <= rank {
		return nil
	}
	if skip > 0 {
		return fmt.Errorf("%s: dim %d after skip %d of data of rank %d; both together are at most %d", p.name, p.dim, skip, rank, rank)
	}
	return fmt.Errorf("%s: dim %d of data of rank %d; give at most %d", p.name, p.dim, rank, rank)
}

// whitened is B^−½QB^−½.
func (d *denseProblem) whitened() []float64 {
	c := append([]float64(nil), d.q...)
	if d.b == nil {
		return c
	}
	scale := make([]float64, d.order)
	for i, b := range d.b {
		scale[i] = 1 / math.Sqrt(b)
	}
	for i := range d.order {
		for j := range d.order {
			// One product of both factors, so that (i, j) and (j, i) round alike.
			c[i*d.order+j] *= scale[i] * scale[j]
		}
	}
	return c
}

// unwhiten turns a vector of the whitened problem into one of the problem.
func (d *denseProblem) unwhiten(v []float64) {
	for i, b := range d.b {
		v[i] /= math.Sqrt(b)
	}
}

// lift turns count vectors of the problem, in rows, into the columns of an m × count
// matrix over the features.
func (d *denseProblem) lift(kernels *blas.Kernels, vectors []float64, count, m int) *mat.Dense {
	full := vectors
	if d.axes != nil {
		full = make([]float64, count*m)
		kernels.Gemm(false, false, count, m, d.order, 1, vectors, d.order, d.axes, m, 0, full, m)
	}
	projection := mat.NewDense(m, count, nil)
	for j := range count {
		v := full[j*m : (j+1)*m]
		fixSign(v)
		projection.SetCol(j, v)
	}
	return projection
}

// finishProjection embeds the samples by a projection that does not centre them,
// and warns of coordinates that say nothing.
func (p *problem) finishProjection(s *solution, projection *mat.Dense, skip int) error {
	if err := s.project(p, nil, projection); err != nil {
		return err
	}
	if !s.converged {
		p.warn("some eigenpairs missed their residual: the projection is the best found")
	}
	n, dim := s.y.Dims()
	for j := range dim {
		low, high := s.y.At(0, j), s.y.At(0, j)
		for i := range n {
			low, high = min(low, s.y.At(i, j)), max(high, s.y.At(i, j))
		}
		if high-low <= constantShare*max(-low, high) {
			p.warn("coordinate %d is constant: the columns of the data combine to a constant, which keeps every neighbourhood; skip=%d leaves it out", j+1, skip+j+1)
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
