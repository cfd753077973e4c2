package eigen

import (
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// belowShare times |A| is what rounding may take an eigenvalue below σ.
const belowShare = 1e-9

// BelowSigmaError says that an eigenvalue lies below the shift, where the smallest above
// it are requested. Find it in an error with errors.As.
type BelowSigmaError struct {
	Sigma float64
	Value float64 // the eigenvalue, where it is known; otherwise NaN
	Row   int     // at which the factorisation of A − σM failed; −1: it did not
	Pivot float64
}

func (e *BelowSigmaError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("solvers: the eigenvalue %.6g is below sigma = %g; take a smaller sigma, or search inside the spectrum (Pencil.Nearest)", e.Value, e.Sigma)
	}
	return fmt.Sprintf("solvers: an eigenvalue is below sigma = %g: A − σM is not positive definite (pivot %.3g in row %d, counting from 0); take a smaller sigma, or search inside the spectrum (Pencil.Nearest)",
		e.Sigma, e.Pivot, e.Row)
}

// rounding is what may take an eigenvalue below σ.
func (p *problem) rounding() float64 {
	if p.norm == 0 {
		return belowShare // A was shifted by an absolute number
	}
	return belowShare * p.norm
}

// above refuses eigenvalues that are not numbers, or below σ by more than rounding.
func (p *problem) above(e *Eigen) error {
	for j, v := range e.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("solvers: eigenvalue %d is %v: the products hold NaN or infinities", j, v)
		}
		if v < p.sigma-p.rounding() {
			return &BelowSigmaError{Sigma: p.sigma, Value: v, Row: -1}
		}
	}
	return nil
}

// belowSigma turns the failure of a factorisation into what it says of the spectrum.
func belowSigma(err error, sigma float64) error {
	var indefinite *sparse.NotPositiveDefiniteError
	if errors.As(err, &indefinite) {
		return &BelowSigmaError{Sigma: sigma, Value: math.NaN(), Row: indefinite.Column, Pivot: indefinite.Pivot}
	}
	return err
}

// checked returns a with every mirror entry stored, or says what is wrong with it or
// with the null vectors.
func checked(a *sparse.CSR, null [][]float64) (*sparse.CSR, error) {
	if err := a.Validate(); err != nil {
		return nil, fmt.Errorf("solvers: A: %w", err)
	}
	a, err := a.Symmetric()
	if err != nil {
		return nil, fmt.Errorf("solvers: A: %w", err)
	}
	if err := checkVectors("null vector", null, a.Rows); err != nil {
		return nil, err
	}
	norm, product := a.RowSumNorm(), make([]float64, a.Rows)
	for j, z := range null {
		for i, y := range null[:j+1] {
			want := 0.0
			if i == j {
				want = 1
			}
			if d := blas.Dot(y, z); !(math.Abs(d-want) <= 1e-8) {
				return nil, fmt.Errorf("solvers: null vectors %d and %d (counting from 0) have the product %.9g, not %g; give orthonormal ones", i, j, d, want)
			}
		}
		a.MulVec(1, z, product)
		if err := checkNull(j, z, product, norm); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// checkCount refuses a number of pairs out of its range.
func (p Pencil) checkCount(n, count int) error {
	if most := min(n-1, n-len(p.Null)); count < 1 || count > most {
		return fmt.Errorf("solvers: %d eigenpairs requested of a matrix of order %d with %d null vectors left out; give a number from 1 to %d", count, n, len(p.Null), most)
	}
	return nil
}

// checkNumbers refuses other numbers out of their range and vectors of a wrong shape.
func (p Pencil) checkNumbers(n int) error {
	if math.IsNaN(p.Sigma) || math.IsInf(p.Sigma, 0) {
		return fmt.Errorf("solvers: sigma is %v; give a finite number below the spectrum", p.Sigma)
	}
	if t := p.Tolerance; t != 0 && !(t >= 1e-14 && t <= 0.1) {
		return fmt.Errorf("solvers: tolerance %v; give a number from 1e-14 to 0.1, or 0 for the default", t)
	}
	if len(p.Null) > 0 && p.Sigma > 0 {
		return fmt.Errorf("solvers: null vectors are given, so 0 is an eigenvalue below sigma = %g; take sigma at most 0", p.Sigma)
	}
	if err := checkVectors("null vector", p.Null, n); err != nil {
		return err
	}
	return checkVectors("start vector", p.Start, n)
}

// checkVectors refuses vectors of a wrong length or with entries that are not finite.
func checkVectors(what string, vectors [][]float64, n int) error {
	for j, v := range vectors {
		if len(v) != n {
			return fmt.Errorf("solvers: %s %d (counting from 0) has %d entries for a matrix of order %d; give one for each row", what, j, len(v), n)
		}
		for i, t := range v {
			if math.IsNaN(t) || math.IsInf(t, 0) {
				return fmt.Errorf("solvers: entry %d of %s %d (counting from 0) is %v; give finite numbers", i, what, j, t)
			}
		}
	}
	return nil
}

const (
	// nullTolerance bounds ‖Az‖ relative to |A| for a unit null vector z.
	nullTolerance = 1e-8
	// dependent is the length that a unit vector keeps after projection off the vectors before it when it
	// adds nothing to their span.
	dependent = 1e-10
)

// checkNull refuses a vector that A does not take to zero.
func checkNull(j int, z, product []float64, norm float64) error {
	size := math.Sqrt(blas.Dot(z, z))
	if r := math.Sqrt(blas.Dot(product, product)); !(r <= nullTolerance*norm*size) {
		return fmt.Errorf("solvers: vector %d (counting from 0) is not a null vector of A: ‖Az‖ is %.3g of |A|‖z‖; leave it out, or give vectors with Az = 0", j, r/(norm*size))
	}
	return nil
}

// readNull copies the null vectors, M-orthonormal, and checks that they are such.
func (s *pencil) readNull() error {
	product := make([]float64, s.n)
	for j, z := range s.Null {
		v := append([]float64(nil), z...)
		before := s.mass.length(v)
		if before == 0 {
			return fmt.Errorf("solvers: null vector %d (counting from 0) is zero; leave it out", j)
		}
		blas.Scale(1/before, v)
		s.mass.remove(s.known, v)
		length := s.mass.length(v)
		if !(length > dependent) {
			return fmt.Errorf("solvers: null vector %d (counting from 0) is a combination of those before it; leave it out", j)
		}
		blas.Scale(1/length, v)
		if s.given != nil {
			s.given.MulVec(s.Threads, z, product)
			if err := checkNull(j, z, product, s.size); err != nil {
				return err
			}
		}
		s.known = append(s.known, v)
	}
	return nil
}

// indefinite reports whether a factorisation failed for a pivot.
func indefinite(err error) bool {
	var e *sparse.NotPositiveDefiniteError
	return errors.As(err, &e)
}
