package engine

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// classicalScaling finds coordinates whose distances are the geodesic ones:
// Y = V√λ for the d largest eigenpairs of B = −½JD²J, with λ < 0 taken as 0.
// Where D is that of landmarks, a sample with distances δ to them is at
//
//	y = −½·L#ᵀ(δ² − μ),   L# = V/√λ,
//
// μ the row means of D² (de Silva and Tenenbaum 2003); for a landmark itself
// that is its row of V√λ.
func classicalScaling(dim int) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		g := a.geodesic
		var plan solvers.Plan
		e, err := solvers.Largest(p.ctx, g.operator(p.ctx, p.kernels, p.options.Threads), dim, solvers.Options{
			Kernels: p.kernels, Threads: p.options.Threads, Seed: p.options.Seed, Memory: p.options.Memory,
			Progress: p.fraction("solve"), Planned: func(chosen solvers.Plan) { plan = chosen; explainPlan(p, chosen) },
		})
		if err != nil {
			return nil, err
		}
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		n := p.x.N
		s := &solution{y: mat.NewDense(n, dim, nil), next: e.Next, residuals: e.Residuals, converged: e.Converged, plan: &plan, products: e.Products, angle: e.Angle}
		g.project(p, e.Values, e.Vectors)
		for j, v := range e.Vectors {
			lambda := max(e.Values[j], 0)
			s.values = append(s.values, lambda)
			column := make([]float64, n)
			for place, i := range g.paths.Order() {
				if g.landmarks == nil {
					column[i] = math.Sqrt(lambda) * v[place]
				} else {
					column[i] = g.coordinate(place, j)
				}
			}
			if dominant(column) < 0 {
				blas.Scale(-1, column)
				for l := range g.mean {
					g.projection[l*dim+j] *= -1
				}
			}
			s.y.SetCol(j, column)
		}
		warnOfScaling(p, e)
		return s, nil
	}
}

// project finds −½L# and μ, by which samples are placed.
func (g *geodesic) project(p *problem, values []float64, vectors [][]float64) {
	count, dim := g.squares.Order(), len(values)
	ones := make([]float64, count)
	for i := range ones {
		ones[i] = 1 / float64(count)
	}
	g.mean, g.projection = make([]float64, count), make([]float64, count*dim)
	g.squares.Mul(p.kernels, p.options.Threads, 1, ones, g.mean)
	for j, v := range vectors {
		// A direction at rounding level has no extent: all samples are at 0 in it.
		if values[j] <= scalingRounding*float64(count)*values[0] {
			continue
		}
		for l := range count {
			g.projection[l*dim+j] = -0.5 * v[l] / math.Sqrt(values[j])
		}
	}
}

// scalingRounding times n times the largest eigenvalue of B is the size under
// which an eigenvalue is rounding.
const scalingRounding = 0x1p-52

// coordinate is coordinate j of a vertex, from its distances to the landmarks.
func (g *geodesic) coordinate(v, j int) float64 {
	count := len(g.landmarks)
	dim := len(g.projection) / count
	var y float64
	for l, d := range g.lengths[v*count : (v+1)*count] {
		y += g.projection[l*dim+j] * (d*d - g.mean[l])
	}
	return y
}

// warnOfScaling says where the eigenvalues make the embedding doubtful.
func warnOfScaling(p *problem, e *solvers.Eigen) {
	last := e.Values[len(e.Values)-1]
	switch {
	case last <= 0:
		p.warn("fewer than %d eigenvalues are positive: the distances along the graph have no more dimensions, and the last coordinates are 0", len(e.Values))
	case e.Next > last/1.01:
		p.warn("eigenvalues %d and %d agree to %.2g: the embedding is not determined (take another dim)", len(e.Values), len(e.Values)+1, 1-e.Next/last)
	}
	if !e.Converged {
		p.warn("some eigenpairs missed their residual: the embedding is the best found")
	}
}
