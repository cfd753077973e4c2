package solve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// rankRounding times the larger side and the largest singular value is the size under which
// one is rounding.
const rankRounding = 0x1p-52

// ofProducts is [TopEigenvectors] of compressed samples: the singular triplets of the
// centred data by products. Nothing is squared, so that narrow directions keep their digits.
func ofProducts(in Input, g *align.Gram, dim int) (*Projected, error) {
	a := in.X.Compressed()
	// The samples by column, so that each product is a sum in one order.
	if err := in.Fit(12*int64(a.NNZ())+8*int64(a.Cols+1), fmt.Sprintf("the %d × %d sparse samples by column need", a.Rows, a.Cols), "take fewer samples, or raise the limit"); err != nil {
		return nil, err
	}
	var plan solvers.Plan
	found, err := centred(in, a, g.Mean).SVD(in.Context(), dim, solvers.Options{
		Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Memory: in.Left(),
		Progress: in.Fraction("solve"), Planned: func(chosen solvers.Plan) { plan = chosen; Reckon(in.Run, chosen) },
	})
	if err != nil {
		return nil, in.Room(err)
	}
	s := newProjected()
	s.Plan, s.Products, s.Residuals, s.Converged = &plan, found.Products, found.Residuals, found.Converged
	divisor := float64(in.X.N() - 1)
	projection := mat.NewDense(in.X.M(), dim, nil)
	for j, sigma := range found.Values {
		s.Values = append(s.Values, sigma*sigma/divisor)
		if sigma > rankRounding*float64(max(a.Rows, a.Cols))*found.Values[0] {
			projection.SetCol(j, found.Right[j])
		}
	}
	if !math.IsNaN(found.Next) {
		s.Next = found.Next * found.Next / divisor
	}
	if !s.Converged {
		in.Warn("some principal components missed their residual: they are the best found")
	}
	in.Note("explained_variance_ratio", varianceShares(spread(in.X, g.Mean), s.Values, divisor))
	if err := s.project(in, g.Mean, projection); err != nil {
		return nil, err
	}
	s.signed()
	return s, in.Err()
}

// spread is the sum of squares of the centred samples.
func spread(x samples.Samples, mean []float64) float64 {
	rms := x.Spread(mean)
	return rms * rms * float64(x.N())
}

// centred is Xc = X − 1μᵀ by its products: XcV = XV − 1(μᵀV), XcᵀU = XᵀU − μ(1ᵀU).
func centred(in Input, a *sparse.CSR, mean []float64) solvers.Rectangular {
	byColumn := a.Transposed()
	return solvers.Rectangular{
		Rows: a.Rows, Cols: a.Cols,
		Multiply: func(width int, x, y []float64) {
			a.MulBlock(in.Threads(), width, x, y)
			shift := make([]float64, width)
			for j, v := range mean {
				blas.Axpy(v, x[j*width:(j+1)*width], shift)
			}
			for i := range a.Rows {
				blas.Axpy(-1, shift, y[i*width:(i+1)*width])
			}
		},
		MultiplyTransposed: func(width int, x, y []float64) {
			byColumn.MulBlock(in.Threads(), width, x, y)
			total := make([]float64, width)
			for i := range a.Rows {
				blas.Axpy(1, x[i*width:(i+1)*width], total)
			}
			for j, v := range mean {
				blas.Axpy(-v, total, y[j*width:(j+1)*width])
			}
		},
	}
}
