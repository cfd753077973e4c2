package engine

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// topEigenvectors takes the d largest eigenpairs of a Gram matrix and returns
// the scores of the samples, XcV, with the sign that makes the largest of a column
// positive.
func topEigenvectors(dim int) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		g := a.gram
		pairs := min(dim+1, g.order)
		values, vectors := make([]float64, pairs), make([]float64, pairs*g.order)
		work := append([]float64(nil), g.product...)
		if err := p.kernels.SymEigRange(g.order, g.order-pairs, g.order, work, g.order, values, vectors, g.order, new(blas.Work)); err != nil {
			return nil, err
		}
		s := &solution{next: math.NaN(), angle: math.NaN(), converged: true}
		divisor := float64(p.x.N - 1)
		projection := mat.NewDense(p.x.M, dim, nil)
		var axes [][]float64
		for j := range min(dim, pairs) {
			at := pairs - 1 - j // ascending so far
			v, lambda := vectors[at*g.order:(at+1)*g.order], max(values[at], 0)
			s.values = append(s.values, lambda/divisor)
			s.residuals = append(s.residuals, g.residual(p.kernels, v, values[at], values[pairs-1]))
			if axis := g.axis(p.kernels, p.x.N, p.x.M, v, lambda, values[pairs-1]); !isZero(axis) {
				// What rounding leaves of wider directions in a narrow one would outweigh it.
				orthogonalise(axes, axis)
				axes = append(axes, axis)
				projection.SetCol(j, axis)
			}
		}
		if pairs > dim {
			s.next = max(values[0], 0) / divisor
		}
		p.details["explained_variance_ratio"] = g.shares(s.values, divisor)
		if err := s.project(p, g.mean, projection); err != nil {
			return nil, err
		}
		for j := range dim {
			// A change of sign is exact, so that the embedding stays the projection's.
			if score := mat.Col(nil, j, s.y); dominant(score) < 0 {
				blas.Scale(-1, score)
				s.y.SetCol(j, score)
				axis := mat.Col(nil, j, projection)
				blas.Scale(-1, axis)
				projection.SetCol(j, axis)
			}
		}
		return s, p.ctx.Err()
	}
}

// axis is the direction in feature space of an eigenvector: the vector itself, or
// that of Xcᵀv, which is zero where the samples do not extend.
func (g *gram) axis(kernels *blas.Kernels, n, m int, v []float64, lambda, largest float64) []float64 {
	if g.columns {
		return v
	}
	axis := make([]float64, m)
	if lambda > roundingShare*largest {
		kernels.Gemv(true, n, m, 1, g.centred, m, v, 0, axis)
	}
	return axis
}

// shares are variances as shares of the total one; 0 where there is none.
func (g *gram) shares(variances []float64, divisor float64) []float64 {
	var total float64
	for i := range g.order {
		total += g.product[i*g.order+i]
	}
	shares := make([]float64, len(variances))
	for j, v := range variances {
		if total > 0 {
			shares[j] = min(v*divisor/total, 1)
		}
	}
	return shares
}

// residual is ‖Gv − λv‖ relative to the largest eigenvalue.
func (g *gram) residual(kernels *blas.Kernels, v []float64, lambda, largest float64) float64 {
	r := append([]float64(nil), v...)
	kernels.Gemv(false, g.order, g.order, 1, g.product, g.order, v, -lambda, r)
	if largest <= 0 {
		return 0
	}
	return math.Sqrt(blas.Dot(r, r)) / largest
}
