package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// gradedRatio is the ratio of the sizes of rows, each over its mass, from which a pencil is equilibrated: with
	// less the smallest keep half of their digits relative to the largest.
	gradedRatio = 0x1p20
	// farPower is the power of two from which entries are so large or small that their squares may not be numbers.
	farPower = 300
)

// scaling is what a pencil was multiplied by, which keeps its eigenvalues but for a power of two: A by 2^(−a) and M by 2^(−m),
// and rows and columns of both by a diagonal matrix D of powers of two where they are graded. x = Dx' for each vector x' found.
type scaling struct {
	of     Pencil    // as it was given
	a, m   int       // the powers
	rows   []float64 // D; nil: the pencil is not graded
	least  float64   // the least size of a row that is not zero, over its mass; 0: not known
	copied bool      // A is no longer the matrix that was given
}

// graded reports whether rows differ so much that they were equilibrated.
func (s *scaling) graded() bool { return s.rows != nil }

// inside is an eigenvalue, or a shift, of the pencil as it is solved, and outside one as it was given.
func (s *scaling) inside(v float64) float64  { return ldexp(v, s.m-s.a) }
func (s *scaling) outside(v float64) float64 { return ldexp(v, s.a-s.m) }

// ldexp is v·2^power, where v·1 is v itself.
func ldexp(v float64, power int) float64 {
	if power == 0 {
		return v
	}
	return math.Ldexp(v, power)
}

// powerOf is the power of two, an even one, by which numbers of that size are divided: 0 unless they are far from 1.
func powerOf(size float64) int {
	if _, power := math.Frexp(size); power > farPower || power < -farPower {
		return min(max(power, -1000), 1000) / 2 * 2
	}
	return 0
}

// rowSizes are the sizes of the rows: of the entry on the diagonal, or where that is zero of the largest.
func rowSizes(a *sparse.CSR) []float64 {
	size := make([]float64, a.Rows)
	for i := range size {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if size[i] = max(size[i], math.Abs(v)); int(cols[p]) == i && v != 0 {
				size[i] = math.Abs(v)
				break
			}
		}
	}
	return size
}

// extremes are the least and the largest size of a row that is not zero, each over its mass. Rows without mass are measured over the
// largest one.
func extremes(size, mass []float64) (least, most float64) {
	least = math.Inf(1)
	heaviest := 0.0
	for _, v := range mass {
		heaviest = max(heaviest, v)
	}
	for i, v := range size {
		if v > 0 {
			switch {
			case mass == nil:
			case mass[i] > 0:
				v /= mass[i]
			default:
				v /= heaviest
			}
			least, most = min(least, v), max(most, v)
		}
	}
	return min(least, most), most
}

// gradedRows are the powers of two that equilibrate a matrix with rows of those sizes, nil where it is not graded, and the
// least size of a row, over its mass.
func gradedRows(a *sparse.CSR, size, mass []float64) (rows []float64, least float64) {
	least, most := extremes(size, mass)
	if !(most > gradedRatio*least) {
		return nil, least
	}
	// By the diagonal, that is; what counts is the balance with all entries.
	rows = a.Equilibration()
	for i, d := range rows {
		if size[i] > 0 {
			size[i] = 1 / d / d
		}
	}
	if least, most = extremes(size, mass); !(most > gradedRatio*least) {
		return nil, least
	}
	return rows, least
}

// needsScaling reports whether a matrix is graded, or far from 1 as a whole, so that it is solved as a [Pencil], which scales it.
func needsScaling(a *sparse.CSR) bool {
	size := rowSizes(a)
	if _, most := extremes(size, nil); powerOf(most) != 0 {
		return true
	}
	rows, _ := gradedRows(a, size, nil)
	return rows != nil
}

// equilibrate scales the pencil where it is needed: the whole of it where its entries are so large or small that sums of
// squares are not numbers, and its rows and columns where they are graded, as by penalties on a diagonal. Statements about
// accuracy are relative to |A|, and of a graded matrix that says nothing of the small eigenvalues.
func (s *pencil) equilibrate(ctx context.Context) error {
	s.scaling.of = s.Pencil
	if s.given == nil {
		if s.scaling.a = powerOfProducts(s.n, s.n, s.Seed, s.Operator.Multiply); s.scaling.a != 0 {
			s.Operator = &Operator{Order: s.n, Multiply: divided(s.Operator.Multiply, s.scaling.a)}
			s.Sigma, s.sigma = s.scaling.inside(s.Sigma), s.scaling.inside(s.sigma)
		}
		return nil
	}
	size, mass := rowSizes(s.given), s.mass.diagonals()
	least, most := extremes(size, nil)
	_, heaviest := extremes(mass, nil)
	s.scaling.a, s.scaling.m = powerOf(most), powerOf(heaviest)
	if s.scaling.a != 0 && most > gradedRatio*least {
		s.scaling.a = powerOf(least)
	}
	if s.scaling.a != 0 || s.scaling.m != 0 {
		byA, byM := math.Ldexp(1, -s.scaling.a), math.Ldexp(1, -s.scaling.m)
		s.given, s.scaling.copied = s.given.Scaled(nil, byA), true
		blas.Scale(byA, size)
		s.mass.scale(nil, byM)
		mass = s.mass.diagonals()
	}
	rows, smallest := gradedRows(s.given, size, mass)
	s.scaling.least = smallest
	if rows != nil {
		if err := s.mass.definite(ctx, s.Options); err != nil {
			return err
		}
		s.massLater, s.scaling.rows = false, rows
		s.given, s.scaling.copied = s.given.Scaled(rows, 1), true
		s.mass.scale(rows, 1)
	}
	if !s.scaling.copied {
		return nil
	}
	s.take(8 * int64(len(s.given.Val)))
	s.size = s.given.RowSumNorm()
	s.Sigma, s.sigma = s.scaling.inside(s.Sigma), s.scaling.inside(s.sigma)
	s.Null, s.Start = s.scaling.into(s.Null), s.scaling.into(s.Start)
	if math.IsInf(s.size, 0) || math.IsInf(s.Sigma, 0) || math.IsInf(s.mass.norm, 0) {
		return fmt.Errorf("solvers: the sizes of A, M and sigma differ by more than floating-point numbers hold; scale A and M to sizes near 1")
	}
	return nil
}

// into returns D⁻¹x for each vector.
func (s *scaling) into(vectors [][]float64) [][]float64 {
	if s.rows == nil {
		return vectors
	}
	out := make([][]float64, len(vectors))
	for j, v := range vectors {
		out[j] = make([]float64, len(v))
		for i, t := range v {
			out[j][i] = t / s.rows[i]
		}
	}
	return out
}

// from returns Dx for each vector.
func (s *scaling) from(vectors [][]float64) [][]float64 {
	if s.rows == nil {
		return vectors
	}
	return times(vectors, s.rows)
}

// finished brings a result back to the pencil that was given.
func (s *pencil) finished(ctx context.Context, e *Eigen) (*Eigen, error) {
	e, err := s.scaledBack(e)
	if err == nil && s.condensed != nil {
		err = s.expand(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	s.named(e)
	return e, nil
}

// scaledBack brings a result back to the scale that was given.
func (s *pencil) scaledBack(e *Eigen) (*Eigen, error) {
	e.least = s.scaling.outside(s.scaling.least)
	if s.scaling.a != s.scaling.m {
		e.Next = s.scaling.outside(e.Next)
		for j := range e.Values {
			e.Values[j], e.Errors[j] = s.scaling.outside(e.Values[j]), s.scaling.outside(e.Errors[j])
		}
		if c := e.Certificate; c != nil {
			c.Shift, c.Bound = s.scaling.outside(c.Shift), s.scaling.outside(c.Bound)
		}
	}
	for _, x := range e.Vectors {
		for i := range x {
			if s.scaling.rows != nil {
				x[i] *= s.scaling.rows[i]
			}
			if s.scaling.m != 0 {
				x[i] = math.Ldexp(x[i], -s.scaling.m/2)
			}
		}
	}
	for _, v := range e.Values {
		if math.IsInf(v, 0) {
			return nil, errBeyond
		}
	}
	return e, nil
}

// errBeyond says that values are larger than any number.
var errBeyond = errors.New("solvers: an eigenvalue is larger than floating-point numbers hold; scale the matrix to sizes near 1")

// probes are powers of two by which a vector is multiplied to see the size of an operator that may be beyond the squares
// of floating-point numbers.
var probes = [...]int{0, -600, 600}

// powerOfProducts is the power of two by which an operator is divided so that squares of its products are numbers: 0 unless they
// are far from 1. One product, or up to three where they are far.
func powerOfProducts(rows, cols int, seed uint64, multiply func(width int, x, y []float64)) int {
	v, x, y := make([]float64, cols), make([]float64, cols), make([]float64, rows)
	blas.NewStream(seed).Normals(v)
	for _, at := range probes {
		for i, t := range v {
			x[i] = ldexp(t, at)
		}
		multiply(1, x, y)
		size := 0.0
		for _, t := range y {
			if size = max(size, math.Abs(t)); math.IsNaN(size) {
				break
			}
		}
		if size < 0x1p-900 || math.IsInf(size, 0) || math.IsNaN(size) {
			continue
		}
		_, power := math.Frexp(size)
		if power -= at; power > farPower || power < -farPower {
			return power
		}
		return 0
	}
	return 0
}

// divided multiplies with an operator over 2^power: half of it is taken from what goes in, and the other half from what comes out.
func divided(multiply func(width int, x, y []float64), power int) func(width int, x, y []float64) {
	var scaled []float64
	return func(width int, x, y []float64) {
		scaled = grown(scaled, len(x))
		in := math.Ldexp(1, -power/2)
		for i, t := range x {
			scaled[i] = t * in
		}
		multiply(width, scaled, y)
		blas.Scale(math.Ldexp(1, power/2-power), y)
	}
}
