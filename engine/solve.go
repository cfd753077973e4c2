package engine

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// bottomEigenvectors solves min tr(YᵀΦY) under YᵀY = I, Y ⟂ the null vector:
// the d eigenvectors of smallest eigenvalue. Sound neighbourhoods leave a gap
// behind the d-th; gapExpected is the ratio λ_{d+2}/λ_{d+1} (in the numbering in
// which λ₁ = 0) under which that is worth a warning, 0 for methods whose
// spectrum has no such gap.
func bottomEigenvectors(dim int, gapExpected float64) solveRule {
	return func(p *problem, a *alignment) (*solution, error) {
		var plan solvers.Plan
		o := solvers.Options{
			Kernels: p.kernels, Threads: p.options.Threads, Seed: p.options.Seed,
			Memory: p.options.Memory, Progress: p.fraction("solve"),
			Planned:   func(chosen solvers.Plan) { plan = chosen; explainPlan(p, chosen) },
			Laplacian: a.laplacian, Columns: p.x.M, Factored: a.factored,
		}
		if a.laplacian {
			o.Bound = 2
		}
		e, err := solvers.Smallest(p.ctx, a.phi, [][]float64{a.null}, dim, o)
		if err != nil {
			return nil, err
		}
		n := p.x.N
		y := mat.NewDense(n, dim, nil)
		for j, x := range e.Vectors {
			if a.scale != nil {
				for i, s := range a.scale {
					x[i] *= s
				}
			}
			fixSign(x)
			y.SetCol(j, x)
		}
		warnOfSpectrum(p, e, a, gapExpected)
		return &solution{y: y, values: e.Values, next: e.Next, residuals: e.Residuals, converged: e.Converged, plan: &plan, solves: e.Solves, products: e.Products, angle: e.Angle}, nil
	}
}

func explainPlan(p *problem, plan solvers.Plan) {
	p.explain("solve: %s, because %s", plan.Solver, plan.Reason)
	if plan.FactorEntries > 0 {
		p.explain("  Cholesky by %s: %d entries for the matrix's %d, %.3g flops", plan.Ordering, plan.FactorEntries, plan.MatrixEntries, plan.Flops)
	}
	p.explain("  memory: %s", solvers.FormatBytes(plan.Bytes))
}

// fixSign makes the entry of largest magnitude, the first on ties, positive.
func fixSign(x []float64) {
	if dominant(x) < 0 {
		blas.Scale(-1, x)
	}
}

// dominant returns the entry of largest magnitude, the first on ties.
func dominant(x []float64) float64 {
	largest := x[0]
	for _, v := range x {
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	return largest
}

// warnOfSpectrum says where the eigenvalues make the embedding doubtful.
func warnOfSpectrum(p *problem, e *solvers.Eigen, a *alignment, gapExpected float64) {
	last := e.Values[len(e.Values)-1]
	norm := a.phi.RowSumNorm()
	const rounding = solvers.RoundingLevel
	switch {
	case e.Refinements > 0:
		p.details["refinements"] = e.Refinements
	case e.Values[0] <= rounding*norm && last > rounding*norm:
		p.warn("the smallest eigenvalue, %.3g, is at rounding level: the first coordinates may mix", e.Values[0])
	case math.IsNaN(e.Next) || last <= rounding*norm:
		// Nothing behind the last one, or data that is flat to rounding.
	case e.Next < 1.01*last:
		p.warn("eigenvalues %d and %d agree to %.2g: the embedding is not determined (take another dim)", len(e.Values), len(e.Values)+1, e.Next/last-1)
	case e.Next < gapExpected*last:
		p.warn("the gap behind the eigenvalues is small (ratio %.2f): parts of the data may hang together by few samples, or dim is too small", e.Next/last)
	}
	if !e.Converged {
		p.warn("some eigenpairs missed their residual: the embedding is the best found")
	}
}
