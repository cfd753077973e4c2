package solve

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers"
)

// BottomEigenvectors solves min tr(YᵀΦY) under YᵀY = I, Y ⟂ the null vector:
// the d eigenvectors of smallest eigenvalue. Sound neighbourhoods leave a gap
// behind the d-th; gapExpected is the ratio λ_{d+2}/λ_{d+1} (in the numbering in
// which λ₁ = 0) under which that is worth a warning, 0 for methods whose
// spectrum has no such gap.
func BottomEigenvectors(dim int, gapExpected float64) Rule[*align.Sum, *Solution] {
	return func(in Input, a *align.Sum) (*Solution, error) {
		var plan solvers.Plan
		o := solvers.Options{
			Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Trusted: true, Own: true, Certified: in.Certified(),
			Memory: in.Left(), Progress: in.Fraction("solve"), Factoring: in.Factoring("solve"),
			Planned:   func(chosen solvers.Plan) { plan = chosen; Reckon(in.Run, chosen) },
			Laplacian: a.Laplacian, Columns: in.X.M(), Factored: a.Factored,
		}
		if a.Laplacian {
			o.Bound = 2
		}
		o.Storage, a.Storage = a.Storage, nil
		e, err := solvers.Smallest(in.Context(), a.Phi, [][]float64{a.Null}, dim, o)
		if err != nil {
			return nil, in.Room(err)
		}
		n := in.X.N()
		y := mat.NewDense(n, dim, nil)
		for j, x := range e.Vectors {
			if a.Scale != nil {
				for i, s := range a.Scale {
					x[i] *= s
				}
			}
			vector.FixSign(x)
			y.SetCol(j, x)
		}
		if e.Refinements > 0 {
			in.Note("refinements", e.Refinements)
		}
		if c := e.Certificate; c != nil {
			in.Note("certificate", c)
			if text := c.Doubt(dim); text != "" {
				in.Warn("%s", text)
			}
		}
		if !e.Converged {
			in.Warn("some eigenpairs missed their residual: the embedding is the best found")
		}
		text, ifUneven := doubt(e, a.Phi.RowSumNorm(), gapExpected)
		return &Solution{Y: y, Spectrum: &Spectrum{Doubt: text, IfUneven: ifUneven}, Values: e.Values, Next: e.Next, Residuals: e.Residuals, Converged: e.Converged, Plan: &plan, Solves: e.Solves, Products: e.Products, Angle: e.Angle}, nil
	}
}

// Reckon tells how an eigensolver was chosen, and reckons with its memory.
func Reckon(in *run.Run, plan solvers.Plan) {
	in.Exceeds(plan.Bytes)
	in.Explain("solve: %s, because %s", plan.Solver, plan.Reason)
	if plan.FactorEntries > 0 {
		in.Explain("  Cholesky by %s: %d entries for the matrix's %d, %.3g flops", plan.Ordering, plan.FactorEntries, plan.MatrixEntries, plan.Flops)
	}
	in.Explain("  memory: %s, of the process %s", solvers.FormatBytes(plan.Bytes), solvers.FormatBytes(in.Whole(plan.Bytes)))
}
