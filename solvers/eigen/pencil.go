package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Pencil is the symmetric eigenproblem A·x = λM·x. [Pencil.Smallest] finds the pairs above Sigma, where
// A − σM is positive definite, or semidefinite with σ itself an eigenvalue. [Pencil.Nearest] finds those nearest
// to any Sigma, and [Pencil.Between] all of an interval. The zero value of every field except A means the plain
// problem: M the identity, σ = 0, and nothing known in advance.
type Pencil struct {
	// A is symmetric and sparse, of any type that [sparse.Of] takes. Rows without
	// entries are rows of zeros, which give null vectors of their own.
	A mat.Matrix
	// Operator replaces A where only products are known. Nothing is
	// factorised then, so that eigenvalues that are tiny compared with the largest take long.
	Operator *Operator
	// M is symmetric positive definite: nil for the identity, a diagonal (mat.Diagonal,
	// or a mat.Vector of n numbers), or a sparse matrix. Rows and columns of it may be zero, if A is given: each
	// is an infinite eigenvalue, which is left out and counted ([Eigen.Infinite]).
	M mat.Matrix
	// Sigma is, for Smallest, a bound below which no eigenvalue lies (the closer, the faster): 0 suits
	// every semidefinite A, and an indefinite one needs a negative number. For Nearest it is any number.
	Sigma float64
	// Null holds known null vectors of A, which are deflated: no pair of the result has
	// a component along them. They are linearly independent, of any length. With them σ
	// must not be positive.
	Null [][]float64
	// Start holds vectors whose span is thought to be near the one wanted, such as the
	// vectors of a similar problem: the nearer, the fewer solves. Any number of them;
	// they change what the result costs, not what it is.
	Start [][]float64
	// Tolerance bounds the residual of a pair of the inverse operator relative to its
	// eigenvalue 1/(λ − σ), and by products alone the residual relative to the spread of
	// the spectrum; 0: 1e-10 and 4e-10. From 1e-14 to 0.1.
	Tolerance float64
}

// Smallest finds the count smallest eigenpairs, ascending. count must be at least 1 and
// at most n − 1, and n less the number of null vectors.
//
// The vectors are M-orthonormal, xᵢᵀMxⱼ = δᵢⱼ. A residual is ‖Ax − λMx‖₂ over
// (|A| + |λ||M|)·‖x‖₂, with |A| the largest absolute row sum, or for an operator the
// largest eigenvalue in size as estimated; without M it is ‖Ax − λx‖₂/|A|. Next is
// the first eigenvalue that was not asked for. All are measured with A and M as given.
//
// A sparse A is factorised, A − σM = LLᵀ, and block Lanczos runs on L⁻¹ML⁻ᵀ, which is
// symmetric and has the largest eigenvalues 1/(λ − σ) (Ericsson and Ruhe 1980); a
// diagonal M is divided out first. A search that does not converge, since σ is far below
// the spectrum, is repeated with a shift near it. The factor decides time and memory; see [Plan]. Where
// A is small or more than a quarter of its spectrum is requested, a dense solver takes
// O(n³). An operator is served by products alone.
//
// Errors name the input, the place and the remedy: A or M not symmetric
// ([sparse.AsymmetryError]), entries that are not finite, M not definite, an eigenvalue
// below σ ([BelowSigmaError]), null vectors that A does not map to 0, and vectors of a wrong length.
func (p Pencil) Smallest(ctx context.Context, count int, o Options) (*Eigen, error) {
	n, err := p.order()
	if err != nil {
		return nil, err
	}
	if err := p.checkCount(n, count); err != nil {
		return nil, err
	}
	if err := p.checkNumbers(n); err != nil {
		return nil, err
	}
	if o.Certified && p.A == nil {
		return nil, errors.New("solvers: a certificate needs the entries of A, which an operator does not show; give A, or leave the certificate out")
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	return p.smallest(ctx, n, count, o)
}

// smallest is [Pencil.Smallest] once the input is checked.
func (p Pencil) smallest(ctx context.Context, n, count int, o Options) (*Eigen, error) {
	s, e, err := p.search(ctx, n, count, o)
	if err == nil && !e.Converged && e.Plan.Solver == factoring {
		e, err = s.nearer(ctx, e, o)
	}
	if err != nil {
		return nil, err
	}
	if e, err = s.certified(ctx, e); err != nil {
		return nil, err
	}
	return s.finished(ctx, e)
}

// search is one search, by one shift.
func (p Pencil) search(ctx context.Context, n, count int, o Options) (*pencil, *Eigen, error) {
	s := &pencil{Pencil: p, problem: &problem{
		n: n, count: count, wanted: min(count+1, n-len(p.Null)),
		sigma: p.Sigma, accuracy: p.Tolerance, Options: o,
	}}
	if err := s.read(ctx); err != nil {
		return nil, nil, err
	}
	e, err := s.pairs(ctx)
	err = belowSigma(err, p.Sigma)
	if below, is := errors.AsType[*BelowSigmaError](err); is {
		return nil, nil, &BelowSigmaError{Sigma: p.Sigma, Value: s.scaling.outside(below.Value), Row: s.condensed.rowOf(below.Row), Pivot: below.Pivot}
	}
	if err != nil {
		return nil, nil, err
	}
	e.Plan = s.plan
	return s, e, nil
}

// order returns n where exactly one of A and Operator is given.
func (p Pencil) order() (int, error) {
	switch {
	case (p.A == nil) == (p.Operator == nil):
		return 0, errors.New("solvers: a pencil needs A or Operator; give one of the two")
	case p.Operator != nil && (p.Operator.Multiply == nil || p.Operator.Order < 1):
		return 0, fmt.Errorf("solvers: an operator of order %d; give its order and Multiply", p.Operator.Order)
	case p.Operator != nil:
		return p.Operator.Order, nil
	}
	rows, cols := p.A.Dims()
	if rows != cols || rows < 1 {
		return 0, fmt.Errorf("solvers: A is %d × %d; give a symmetric matrix", rows, cols)
	}
	return rows, nil
}

// pencil is one call of [Pencil.Smallest] under way.
type pencil struct {
	Pencil
	*problem // of the standard form: Cy = λy with x = Ty

	given     *sparse.CSR // A; nil: an operator
	size      float64     // |A|, or for an operator what is known of it
	mass      mass
	massLater bool        // M is tested when its factor is made for other ends
	known     [][]float64 // the null vectors, M-orthonormal
	scaling   scaling
	condensed *condensed // nil: no rows were eliminated
}

// read takes the input over and checks it.
func (s *pencil) read(ctx context.Context) (err error) {
	if s.A != nil {
		var copied int64
		if s.given, copied, err = rowsOf(s.A, s.Memory); err != nil {
			return err
		}
		if err := s.given.Validate(); err != nil {
			return fmt.Errorf("solvers: A: %w", err)
		}
		if s.given, err = s.given.Symmetric(); err != nil {
			return fmt.Errorf("solvers: A: %w", err)
		}
		s.take(copied)
		s.plan.MatrixEntries = int64(s.given.NNZ())
		s.size = s.given.RowSumNorm()
	}
	if s.mass, err = massOf(s.M, s.n); err != nil {
		return err
	}
	s.take(s.mass.bytes())
	if len(s.mass.massless.rows) > 0 {
		if err := s.readMassless(ctx); err != nil {
			return err
		}
	}
	if !s.massLater {
		if err := s.mass.definite(ctx, s.Options); err != nil {
			return err
		}
	}
	if err := s.equilibrate(ctx); err != nil {
		return err
	}
	return s.readNull()
}

// take accounts for memory that the input holds.
func (p *problem) take(bytes int64) {
	p.copied += bytes
	if p.Memory > 0 {
		p.Memory = max(p.Memory-bytes, 1)
	}
}

// byA computes Y = A·X.
func (s *pencil) byA(width int, x, y []float64) {
	if s.given != nil {
		s.given.MulBlock(s.Threads, width, x, y)
		return
	}
	s.Operator.Multiply(width, x, y)
}

// measure finds the residuals with A and M themselves, of vectors that it first makes
// orthogonal to the null vectors and of unit length.
func (s *pencil) measure(e *Eigen) {
	limit := max(residualLimit, s.accuracy)
	e.Residuals = e.Residuals[:0]
	nulls := make([][]float64, len(s.known)) // M times the null vectors
	for q, z := range s.known {
		nulls[q] = make([]float64, s.n)
		s.mass.multiply(s.Threads, 1, z, nulls[q])
	}
	var x, ax, mx lanes
	var zeros [measured]float64
	e.Errors = e.Errors[:0]
	for lo := 0; lo < len(e.Vectors); lo += measured {
		vectors := e.Vectors[lo:min(lo+measured, len(e.Vectors))]
		for _, x := range vectors {
			for range 2 {
				for q, z := range s.known {
					blas.Axpy(-blas.Dot(nulls[q], x), z, x)
				}
			}
		}
		x.set(vectors)
		s.mass.multiply(s.Threads, x.width, x.data, mx.like(x))
		s.byA(x.width, x.data, ax.like(x))
		squares, quotients, images, away := dots(x, mx), dots(x, ax), distances(mx, mx, zeros[:]), distances(ax, mx, e.Values[lo:])
		for j, v := range vectors {
			lambda := e.Values[lo+j]
			length := math.Sqrt(max(squares[j], 0))
			if length > 0 {
				blas.Scale(1/length, v)
			} else {
				length = 1
			}
			r, scale, size := away[j]/length, s.size, math.Sqrt(blas.Dot(v, v))
			rounded := (s.size + math.Abs(lambda)*s.mass.norm) * size * size
			switch {
			case s.scaling.graded(): // |λ||M| would be large for the light rows, where Mx is small
				scale, rounded = s.size*size+math.Abs(lambda)*images[j]/length, s.size*size*size+math.Abs(lambda)
			case s.mass.given():
				scale = (s.size + math.Abs(lambda)*s.mass.norm) * size
			}
			e.Errors = append(e.Errors, s.error(e, lo+j, quotients[j]/(length*length), r*size, rounded))
			if scale > 0 {
				r /= scale
			}
			e.Residuals = append(e.Residuals, r)
			e.Converged = e.Converged && r <= limit
		}
	}
}

const (
	// A shift is moved to nearerSpread of the values found below the smallest of them, and
	// one of nearerLeast of |A| at least ...
	nearerSpread = 1e-3
	// ... where that leaves this share of its distance at most.
	nearerShare = 0.25
)

// The second is for values that the first has found to all digits, but not their vectors.
var nearerLeast = [...]float64{1e-6, 1e-9}

// nearer repeats a search that has not converged with a shift just below the smallest
// value found, from the vectors found. Far below the spectrum all 1/(λ − σ) are
// nearly equal, and the copies of a multiple eigenvalue appear one after the other. Ritz values are
// not below the eigenvalue that they approximate, but another may be below them all: then the
// factorisation fails, and the first result stays.
func (s *pencil) nearer(ctx context.Context, e *Eigen, o Options) (*Eigen, error) {
	sigma, solves := s.Sigma, e.Solves
	for _, least := range nearerLeast {
		first, last := e.Values[0], e.Values[len(e.Values)-1]
		below := max(nearerSpread*(last-first), least*s.norm)
		if s.given == nil || e.Converged || !(below <= nearerShare*(first-sigma)) {
			break
		}
		p := s.scaling.of
		p.Sigma, p.Start = s.scaling.outside(first-below), s.scaling.from(e.Vectors)
		if !s.scaling.copied {
			p.A = s.given
		}
		_, again, err := p.search(ctx, s.n, s.count, o)
		var lower *BelowSigmaError
		if errors.As(err, &lower) {
			break
		}
		if err != nil {
			return nil, err
		}
		solves += again.Solves
		if slices.Max(again.Residuals) < slices.Max(e.Residuals) {
			e, sigma = again, s.scaling.inside(p.Sigma)
		}
	}
	if e.Solves = solves; sigma != s.Sigma {
		e.Plan.Reason += fmt.Sprintf(", the shift moved from %g to %g", s.scaling.of.Sigma, s.scaling.outside(sigma))
	}
	return e, nil
}
