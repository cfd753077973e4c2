package solve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// BottomEigenvectors solves min tr(YᵀΦY) under YᵀY = I, Y ⟂ the null vector:
// the d eigenvectors for the smallest eigenvalues. Good neighbourhoods have a gap
// after the d-th; gapExpected is the ratio λ_{d+2}/λ_{d+1} (numbered such that
// λ₁ = 0) below which it warns, 0 for methods whose
// spectrum has no such gap.
func BottomEigenvectors(dim int, gapExpected float64) Rule[*align.Sum, *Solution] {
	return func(in Input, a *align.Sum) (*Solution, error) {
		var plan eigen.Plan
		o := eigen.Options{
			Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Trusted: true, Own: true, Certified: in.Certified(),
			Memory: in.Remaining(), Progress: in.Fraction("solve"), Factoring: in.Factoring("solve"),
			Planned:   func(chosen eigen.Plan) { plan = chosen; RecordPlan(in.Run, chosen) },
			Laplacian: a.Laplacian, Columns: in.X.M(), Factored: a.Factored,
		}
		if a.Laplacian {
			o.Bound = 2
		}
		o.Storage, o.Analysis = a.Storage, a.Analysis
		a.Storage, a.Analysis = nil, nil
		e, err := eigen.Smallest(in.Context(), a.Phi, [][]float64{a.Null}, dim, o)
		if err != nil {
			return nil, in.WrapMemoryError(err)
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

// RecordPlan explains the choice of an eigensolver, and counts its memory in the run.
func RecordPlan(in *run.Run, plan eigen.Plan) {
	in.Exceeds(plan.Bytes)
	in.Explain("solve: %s, because %s", plan.Solver, plan.Reason)
	if plan.FactorEntries > 0 {
		in.Explain("  Cholesky by %s: %d entries for the matrix's %d, %.3g flops", plan.Ordering, plan.FactorEntries, plan.MatrixEntries, plan.Flops)
	}
	in.Explain("  memory: %s, of the process %s", limits.FormatBytes(plan.Bytes), limits.FormatBytes(in.ProcessBytes(plan.Bytes)))
}

// Spectrum is the assessment of the eigenvalues.
type Spectrum struct {
	Doubt    string // the doubt that follows from them, with the measurement; empty: none
	IfUneven bool   // the doubt does not hold if the coordinates stretch the data evenly
}

// refinedLevel times ‖B‖ is the rounding error of the smallest singular values of B.
const refinedLevel = 10 * eigen.RoundingLevel

// doubt returns the doubt that follows from the eigenvalues. Finding the cause is the task of a
// diagnosis.
func doubt(e *eigen.Eigen, norm, gapExpected float64) (text string, ifUneven bool) {
	d := len(e.Values)
	last := e.Values[d-1]
	level := eigen.RoundingLevel * norm
	if e.Refinements > 0 {
		// For BBᵀ: the rounding error of singular values of B, squared.
		level = refinedLevel * refinedLevel * norm
	}
	switch {
	case e.Values[0] <= level && last > level:
		return fmt.Sprintf("the smallest eigenvalue, %.3g, is at rounding level: the first coordinates may mix", e.Values[0]), true
	case math.IsNaN(e.Next):
		return "", false
	case e.Next <= level:
		return fmt.Sprintf("eigenvalues 1 to %d, one more than the coordinates, are all at rounding level (the last is %.3g): to rounding the embedding is not determined", d+1, e.Next), false
	case last <= level:
		return "", false // flat up to rounding
	case e.Next < 1.01*last:
		return fmt.Sprintf("eigenvalues %d and %d agree to %.2g: the embedding is not determined", d, d+1, e.Next/last-1), false
	case e.Next < gapExpected*last:
		return fmt.Sprintf("the gap behind the eigenvalues is small (ratio %.2f)", e.Next/last), true
	}
	return "", false
}
