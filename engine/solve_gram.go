package engine

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// topEigenvectors takes the d largest eigenpairs of a Gram matrix and returns
// the scores of the samples: XcV, or equally U√λ.
func topEigenvectors(dim int) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		g, n, m := a.gram, p.x.N, p.x.M
		pairs := min(dim+1, g.order)
		values, vectors := make([]float64, pairs), make([]float64, pairs*g.order)
		work := append([]float64(nil), g.product...)
		if err := p.kernels.SymEigRange(g.order, g.order-pairs, g.order, work, g.order, values, vectors, g.order, new(blas.Work)); err != nil {
			return nil, err
		}
		s := &solution{y: mat.NewDense(n, dim, nil), next: math.NaN(), angle: math.NaN(), converged: true}
		divisor := float64(n - 1)
		score := make([]float64, n)
		for j := range min(dim, pairs) {
			at := pairs - 1 - j // ascending so far
			v, lambda := vectors[at*g.order:(at+1)*g.order], max(values[at], 0)
			if g.columns {
				p.kernels.Gemv(false, n, m, 1, g.centred, m, v, 0, score)
			} else {
				copy(score, v)
				blas.Scale(math.Sqrt(lambda), score)
			}
			fixSign(score)
			s.y.SetCol(j, score)
			s.values = append(s.values, lambda/divisor)
			s.residuals = append(s.residuals, g.residual(p.kernels, v, values[at], values[pairs-1]))
		}
		if pairs > dim {
			s.next = max(values[0], 0) / divisor
		}
		return s, p.ctx.Err()
	}
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
