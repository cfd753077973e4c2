package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// mass is the matrix M of a pencil: the identity, a diagonal or a sparse matrix.
type mass struct {
	n        int
	diagonal []float64   // nil: not diagonal
	matrix   *sparse.CSR // nil: not sparse, or diagonal after all
	norm     float64     // the largest absolute row sum
	copied   int64
	analysis *sparse.Analysis // of the matrix, once it was factorised
	massless massless
}

// massOf reads M and checks what can be seen entry by entry.
func massOf(m mat.Matrix, n int) (mass, error) {
	s := mass{n: n, norm: 1}
	if m == nil {
		return s, nil
	}
	rows, cols := m.Dims()
	if vector, is := m.(mat.Vector); is && vector.Len() == n && (rows == n || cols == n) {
		s.diagonal = make([]float64, n)
		for i := range s.diagonal {
			s.diagonal[i] = vector.AtVec(i)
		}
		return s, s.checkDiagonal()
	}
	if rows != n || cols != n {
		return s, fmt.Errorf("solvers: M is %d × %d where A is of order %d; give one of the same order", rows, cols, n)
	}
	if diagonal, is := m.(mat.Diagonal); is {
		s.diagonal = make([]float64, n)
		for i := range s.diagonal {
			s.diagonal[i] = diagonal.At(i, i)
		}
		return s, s.checkDiagonal()
	}
	a, copied, err := rowsOf(m, 0)
	if err != nil {
		return s, fmt.Errorf("solvers: M: %w", err)
	}
	if err := a.Validate(); err != nil {
		return s, fmt.Errorf("solvers: M: %w", err)
	}
	if a, err = a.Symmetric(); err != nil {
		return s, fmt.Errorf("solvers: M: %w", err)
	}
	s.matrix, s.copied, s.norm = a, copied, a.RowSumNorm()
	d, only := make([]float64, n), true
	a.DoNonZero(func(i, j int, v float64) {
		if i == j {
			d[i] = v
		} else {
			only = only && v == 0
		}
	})
	for i, v := range d {
		switch {
		case v == 0 && emptyRow(a, i):
			s.massless.rows = append(s.massless.rows, i)
		case !(v > 0):
			return s, notDefinite(i, v, "diagonal entry")
		}
	}
	if len(s.massless.rows) == n {
		return s, notDefinite(0, 0, "diagonal entry")
	}
	if only {
		s.diagonal, s.matrix = d, nil
	}
	return s, nil
}

// notDefinite is the error about M at a row.
func notDefinite(row int, v float64, what string) error {
	return fmt.Errorf("solvers: M is not positive definite: %s %.6g in row %d (counting from 0); give a positive definite M", what, v, row)
}

func (s *mass) checkDiagonal() error {
	s.norm = 0
	for i, v := range s.diagonal {
		switch {
		case v == 0:
			s.massless.rows = append(s.massless.rows, i)
		case !(v > 0) || math.IsInf(v, 0):
			return notDefinite(i, v, "diagonal entry")
		}
		s.norm = max(s.norm, v)
	}
	if s.norm == 0 {
		return notDefinite(0, 0, "diagonal entry")
	}
	return nil
}

// diagonals is the diagonal of M, nil for the identity.
func (s *mass) diagonals() []float64 {
	if s.matrix == nil {
		return s.diagonal
	}
	d := make([]float64, s.n)
	for i := range d {
		d[i] = s.matrix.At(i, i)
	}
	return d
}

// scale makes M by·DMD, a sparse matrix even where it is diagonal, since a graded one is not divided out.
func (s *mass) scale(rows []float64, by float64) {
	switch {
	case rows == nil && s.diagonal != nil:
		s.diagonal = slices.Clone(s.diagonal)
		blas.Scale(by, s.diagonal)
		s.norm *= by
		return
	case rows == nil && s.matrix == nil:
		return
	case s.matrix == nil:
		d := s.diagonal
		if d == nil {
			d = slices.Repeat([]float64{1}, s.n)
		}
		s.matrix, s.diagonal = diagonalMatrix(d), nil
	}
	s.matrix = s.matrix.Scaled(rows, by)
	if s.massless.units != nil {
		s.massless.units = s.massless.units.Scaled(rows, by)
	}
	s.norm = s.matrix.RowSumNorm()
}

// given reports whether M is another matrix than the identity.
func (s *mass) given() bool { return s.diagonal != nil || s.matrix != nil }

func (s *mass) bytes() int64 { return s.copied + 8*int64(len(s.diagonal)) }

// definite refuses an M that is not positive definite. A matrix with dominant diagonal
// is; the others are factorised.
func (s *mass) definite(ctx context.Context, o Options) error {
	if s.matrix == nil {
		return nil
	}
	// Scaling keeps M definite, and singular is what it is for no scaling.
	even := mass{n: s.n, matrix: s.regular()}
	if d := even.diagonals(); slices.Max(d) > gradedRatio*slices.Min(d) {
		even.matrix = even.matrix.Scaled(even.matrix.Equilibration(), 1)
	}
	_, err := even.factor(ctx, o)
	if s.analysis = even.analysis; err == nil {
		pages.Reuse(s.analysis.Bytes()) // what the factor took
	}
	return err
}

// analysisOf returns the analysis of M for a matrix with an entry wherever M has one, if it has no others; otherwise nil.
func (s *mass) analysisOf(a *sparse.CSR) *sparse.Analysis {
	if a.NNZ() != s.matrix.NNZ() {
		return nil
	}
	return s.analysis
}

// factor computes the Cholesky factor of a sparse M.
func (s *mass) factor(ctx context.Context, o Options) (*sparse.Factor, error) {
	m := s.regular()
	analysis, err := sparse.AnalyzeOrdered(ctx, m, sparse.Best, o.Threads)
	if err != nil {
		return nil, fmt.Errorf("solvers: M: %w", err)
	}
	if o.Memory > 0 && analysis.Bytes() > o.Memory {
		return nil, &MemoryError{Need: analysis.Bytes(), Limit: o.Memory}
	}
	s.analysis = analysis
	f, err := analysis.Factor(ctx, o.Kernels, o.Threads, m, 0)
	if err == nil {
		err = f.Definite(m, 0, nil)
	}
	var indefinite *sparse.NotPositiveDefiniteError
	if errors.As(err, &indefinite) {
		return nil, notDefinite(indefinite.Column, indefinite.Pivot, "pivot")
	}
	return f, err
}

// multiply computes Y = M·X for n × width blocks, row-major.
func (s *mass) multiply(threads, width int, x, y []float64) {
	switch {
	case s.matrix != nil:
		s.matrix.MulBlock(threads, width, x, y)
	case s.diagonal != nil:
		for i, d := range s.diagonal {
			for j := i * width; j < (i+1)*width; j++ {
				y[j] = d * x[j]
			}
		}
	default:
		copy(y, x)
	}
}

// product returns xᵀMy.
func (s *mass) product(x, y []float64) float64 {
	if !s.given() {
		return blas.Dot(x, y)
	}
	my := make([]float64, s.n)
	s.multiply(1, 1, y, my)
	return blas.Dot(x, my)
}

// length returns √(xᵀMx).
func (s *mass) length(x []float64) float64 { return math.Sqrt(s.product(x, x)) }

// remove takes from v its components along M-orthonormal vectors, twice.
func (s *mass) remove(basis [][]float64, v []float64) {
	if !s.given() {
		blas.Orthogonalize(basis, v)
		return
	}
	if len(basis) == 0 {
		return
	}
	mv := make([]float64, s.n)
	for range 2 {
		s.multiply(1, 1, v, mv)
		for _, q := range basis {
			blas.Axpy(-blas.Dot(q, mv), q, v)
		}
	}
}
