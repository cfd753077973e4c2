package solve

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// SketchedEigenvectors is [BottomEigenvectors] of the normalised Laplacian, approximated by products with the graph alone. The residuals
// are those of the vectors returned, ‖D^−½WD^−½u − (1 − μ)u‖.
func SketchedEigenvectors(dim int) Rule[*align.Adjacency, *Solution] {
	return func(in Input, a *align.Adjacency) (*Solution, error) {
		var plan eigen.Plan
		e, err := eigen.Sketch(in.Context(), a.W, dim, eigen.Options{
			Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Trusted: true, Memory: in.Remaining(), Progress: in.Fraction("solve"),
			Planned: func(chosen eigen.Plan) { plan = chosen; RecordPlan(in.Run, chosen) },
		})
		if err != nil {
			return nil, in.WrapMemoryError(err)
		}
		worst := slices.Max(e.Residuals)
		in.Explain("  residuals: up to %.2g after %d products with a vector", worst, e.Products)
		if !e.Converged {
			in.Warn("‹solver=sketch›: residuals up to %.2g, where %.0e and a hundredth of the eigenvalue are aimed at: the eigenvalues are off by no more than that, the coordinates may mix eigenvectors whose eigenvalues are closer; choose ‹solver=auto› to compute them to rounding", worst, eigen.SketchAim)
		}
		y := mat.NewDense(in.X.N(), dim, nil)
		for j, x := range e.Vectors {
			for i, s := range a.Scale {
				x[i] *= s
			}
			vector.FixSign(x)
			y.SetCol(j, x)
		}
		text, ifUneven := doubt(e, 2, 0) // |I − Â| ≤ 2
		return &Solution{Y: y, Spectrum: &Spectrum{Doubt: text, IfUneven: ifUneven}, Values: e.Values, Next: e.Next, Residuals: e.Residuals, Converged: e.Converged, Plan: &plan, Solves: e.Solves, Products: e.Products, Angle: e.Angle}, nil
	}
}
