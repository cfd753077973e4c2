package solve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// TopEigenvectors computes the d largest eigenpairs of a Gram matrix and returns
// the scores of the samples, XcV, with signs that make the largest entry of each column
// positive. whiten divides each by its standard deviation.
func TopEigenvectors(dim int, whiten bool) Rule[*align.Gram, *Projected] {
	return func(in Input, g *align.Gram) (*Projected, error) {
		if g.Product == nil {
			return ofProducts(in, g, dim, whiten)
		}
		s, axes, err := ofGram(in.Run, g, in.X.N(), in.X.M(), dim)
		if err != nil {
			return nil, err
		}
		return s, s.score(in.Run, g, axes, whiten, func() error { return s.project(in, g.Mean, axes) })
	}
}

// BlockEigenvectors is [TopEigenvectors] of n samples that are read a second time, for their scores.
func BlockEigenvectors(job *run.Run, g *align.Gram, x samples.Blocks, n, dim int, whiten bool) (*Projected, error) {
	defer job.Phase("solve")()
	s, axes, err := ofGram(job, g, n, x.M, dim)
	if err != nil {
		return nil, err
	}
	return s, s.score(job, g, axes, whiten, func() error {
		s.Mean, s.Projection, s.Y = g.Mean, axes, mat.NewDense(n, dim, nil)
		by, at := Linear{job.Kernels(), job.Threads(), s.Mean, s.Projection}, 0
		return x.Each(func(rows []float64) error {
			points := neighbors.Points{N: len(rows) / x.M, M: x.M, Data: rows}
			if at+points.N > n {
				return errors.New("there are more samples than when they were read first")
			}
			to := s.Y.Slice(at, at+points.N, 0, dim).(*mat.Dense)
			at += points.N
			return by.Apply(job.Context(), points, to)
		})
	})
}

// ofGram returns the dim largest eigenpairs of a Gram matrix that is formed, of n samples with m columns, and their axes.
func ofGram(job *run.Run, g *align.Gram, n, m, dim int) (*Projected, *mat.Dense, error) {
	pairs := min(dim+1, g.Order)
	values, vectors := make([]float64, pairs), make([]float64, pairs*g.Order)
	work := append([]float64(nil), g.Product...)
	if err := job.Kernels().SymEigRange(g.Order, g.Order-pairs, g.Order, work, g.Order, values, vectors, g.Order, new(blas.Work)); err != nil {
		return nil, nil, err
	}
	s := newProjected()
	projection := mat.NewDense(m, dim, nil)
	var axes [][]float64
	for j := range min(dim, pairs) {
		at := pairs - 1 - j // ascending so far
		v, lambda := vectors[at*g.Order:(at+1)*g.Order], max(values[at], 0)
		s.Values = append(s.Values, lambda/g.Divisor)
		s.Residuals = append(s.Residuals, gramResidual(job.Kernels(), g, v, values[at], values[pairs-1]))
		if axis := axisOf(job.Kernels(), g, n, m, v, lambda, values[pairs-1]); !vector.IsZero(axis) {
			// Rounding errors along wider directions would dominate a narrow one.
			vector.Orthogonalize(axes, axis)
			axes = append(axes, axis)
			projection.SetCol(j, axis)
		}
	}
	if pairs > dim {
		s.Next = max(values[0], 0) / g.Divisor
	}
	return s, projection, nil
}

// score notes the shares of the variance, and has the scores of the samples on the axes computed.
func (s *Projected) score(job *run.Run, g *align.Gram, axes *mat.Dense, whiten bool, project func() error) error {
	job.Note("explained_variance_ratio", varianceShares(g.Squares, s.Values, g.Divisor))
	if whiten {
		s.whiten(job, axes)
	}
	if err := project(); err != nil {
		return err
	}
	s.signed(g.Weights)
	return job.Err()
}

// whiten divides the axes by the standard deviations along them. Along an axis without extent the coordinate is zero.
func (s *Projected) whiten(job *run.Run, axes *mat.Dense) {
	m, _ := axes.Dims()
	flat := 0
	for j, v := range s.Values {
		by := 0.0
		if v > vector.GramRounding*s.Values[0] {
			by = 1 / math.Sqrt(v)
		} else {
			flat++
		}
		for i := range m {
			axes.Set(i, j, by*axes.At(i, j))
		}
	}
	if flat > 0 {
		job.Warn("the samples do not vary along %d of %d axes: these coordinates stay zero; a smaller ‹dim› leaves them out", flat, len(s.Values))
	}
}

// principalSamples is the largest number of samples from which [PrincipalComponents] computes the axes.
const principalSamples = 1 << 14

// PrincipalComponents returns approximate scores of all samples on their leading principal axes. The
// axes are those of at most 16 384 samples, drawn by the seed. It reports
// nothing to the caller of the run.
func PrincipalComponents(in Input, count int) (*Projected, error) {
	n, some, job := in.X.N(), in.X, in.Within()
	if n > principalSamples {
		stream, chosen := blas.NewStream(in.Seed()), make([]int, 0, principalSamples)
		for i := range n { // every subset is equally likely
			if stream.Below(n-i) < principalSamples-len(chosen) {
				chosen = append(chosen, i)
			}
		}
		some = in.X.Subset(chosen)
		job = job.Holding(some.Bytes())
	}
	part := align.Input{Local: patch.Local{Run: job, X: some}}
	g, err := align.CenteredGram(count)(part)
	if err != nil {
		return nil, err
	}
	found, err := TopEigenvectors(count, false)(Input{Run: job, X: some}, g)
	if err == nil && n > principalSamples {
		err = found.project(in, found.Mean, found.Projection)
	}
	return found, err
}

// signed makes the largest score of each column positive, of samples with weights of those above 0; where scores of both signs are as
// large within rounding, the largest entry of the axis. A change of sign is exact, so the embedding still equals the projection.
func (s *Projected) signed(weights []float64) {
	_, dim := s.Y.Dims()
	for j := range dim {
		score := mat.Col(nil, j, s.Y)
		counted := slices.Clone(score)
		for i, w := range weights {
			if w == 0 {
				counted[i] = 0
			}
		}
		axis := mat.Col(nil, j, s.Projection)
		decisive := vector.Dominant(counted)
		if low, high := slices.Min(counted), slices.Max(counted); math.Abs(low+high) <= tiedScores*math.Abs(decisive) {
			decisive = vector.Dominant(axis)
		}
		if decisive < 0 {
			blas.Scale(-1, score)
			s.Y.SetCol(j, score)
			blas.Scale(-1, axis)
			s.Projection.SetCol(j, axis)
		}
	}
}

// tiedScores is the relative difference up to which the largest scores of both signs are as large, so that the order of the samples, or
// rounding, would decide on the sign.
const tiedScores = 1e-10

// axisOf returns the direction in feature space of an eigenvector: the vector itself, or
// that of Xcᵀv, which is zero if the samples have no extent there.
func axisOf(kernels *blas.Kernels, g *align.Gram, n, m int, v []float64, lambda, largest float64) []float64 {
	if g.Columns {
		return v
	}
	axis := make([]float64, m)
	if lambda > vector.GramRounding*largest {
		kernels.Gemv(true, n, m, 1, g.Centered, m, v, 0, axis)
	}
	return axis
}

// varianceShares returns variances as shares of the total; 0 if that is zero.
func varianceShares(total float64, variances []float64, divisor float64) []float64 {
	shares := make([]float64, len(variances))
	for j, v := range variances {
		if total > 0 {
			shares[j] = min(v*divisor/total, 1)
		}
	}
	return shares
}

// gramResidual returns ‖Gv − λv‖ relative to the largest eigenvalue.
func gramResidual(kernels *blas.Kernels, g *align.Gram, v []float64, lambda, largest float64) float64 {
	r := append([]float64(nil), v...)
	kernels.Gemv(false, g.Order, g.Order, 1, g.Product, g.Order, v, -lambda, r)
	if largest <= 0 {
		return 0
	}
	return math.Sqrt(blas.Dot(r, r)) / largest
}

// rankRounding, times the larger dimension and the largest singular value, is the level below which
// a singular value is due to rounding.
const rankRounding = 0x1p-52

// ofProducts is [TopEigenvectors] by products with the centred data, of compressed samples or of large dense ones: it
// computes their singular triplets, whose residuals are measured. Nothing is squared, so narrow directions keep their
// accuracy.
func ofProducts(in Input, g *align.Gram, dim int, whiten bool) (*Projected, error) {
	n, m := in.X.N(), in.X.M()
	var plan eigen.Plan
	o := eigen.Options{
		Kernels: in.Kernels(), Threads: in.Threads(), Seed: in.Seed(), Memory: in.Remaining(),
		Progress: in.Fraction("solve"), Planned: func(chosen eigen.Plan) { plan = chosen; RecordPlan(in.Run, chosen) },
	}
	var found *eigen.Singular
	var err error
	if a := in.X.Compressed(); a != nil {
		// The samples by column, so that each product is summed in a fixed order.
		if err := in.Fit(12*int64(a.NNZ())+8*int64(m+1), fmt.Sprintf("the %d × %d sparse samples by column need", n, m), "take fewer samples, or raise the limit"); err != nil {
			return nil, err
		}
		found, err = centred(in, a, g.Mean, g.Weights).SVD(in.Context(), dim, o)
	} else {
		found, err = eigen.SVD(in.Context(), mat.NewDense(n, m, g.Centered), dim, o)
	}
	if err != nil {
		return nil, in.WrapMemoryError(err)
	}
	s := newProjected()
	s.Plan, s.Products, s.Residuals, s.Converged = &plan, found.Products, found.Residuals, found.Converged
	projection := mat.NewDense(m, dim, nil)
	for j, sigma := range found.Values {
		s.Values = append(s.Values, sigma*sigma/g.Divisor)
		if sigma > rankRounding*float64(max(n, m))*found.Values[0] {
			projection.SetCol(j, found.Right[j])
		}
	}
	if !math.IsNaN(found.Next) {
		s.Next = found.Next * found.Next / g.Divisor
	}
	if !s.Converged {
		in.Warn("some principal components missed their residual: they are the best found")
	}
	return s, s.score(in.Run, g, projection, whiten, func() error { return s.project(in, g.Mean, projection) })
}

// centred represents √w(X − 1μᵀ) by its products: XcV = √w(XV − 1(μᵀV)), XcᵀU = Xᵀ(√wU) − μ(1ᵀ√wU). Without weights
// they are 1.
func centred(in Input, a *sparse.CSR, mean, weights []float64) eigen.Rectangular {
	byColumn := a.Transposed()
	roots := make([]float64, len(weights))
	for i, w := range weights {
		roots[i] = math.Sqrt(w)
	}
	var scaled []float64
	return eigen.Rectangular{
		Rows: a.Rows, Cols: a.Cols,
		Multiply: func(width int, x, y []float64) {
			a.MulBlock(in.Threads(), width, x, y)
			shift := make([]float64, width)
			for j, v := range mean {
				blas.Axpy(v, x[j*width:(j+1)*width], shift)
			}
			for i := range a.Rows {
				row := y[i*width : (i+1)*width]
				blas.Axpy(-1, shift, row)
				if weights != nil {
					blas.Scale(roots[i], row)
				}
			}
		},
		MultiplyTransposed: func(width int, x, y []float64) {
			if weights != nil {
				scaled = append(scaled[:0], x[:a.Rows*width]...)
				for i, r := range roots {
					blas.Scale(r, scaled[i*width:(i+1)*width])
				}
				x = scaled
			}
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

// SquaredLengths returns the eigenvalues of the Gram matrix, which are the squared lengths of the
// columns of Y, instead of the variances.
func SquaredLengths(rule Rule[*align.Gram, *Projected]) Rule[*align.Gram, *Projected] {
	return func(in Input, a *align.Gram) (*Projected, error) {
		s, err := rule(in, a)
		if err == nil {
			blas.Scale(float64(in.X.N()-1), s.Values)
			s.Next *= float64(in.X.N() - 1)
		}
		return s, err
	}
}
