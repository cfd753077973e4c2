package sddm

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// system is a matrix of the form Laplacian plus nonnegative diagonal.
type system struct {
	given  int         // the order of A
	a      *sparse.CSR // 2^−power times A, or its double cover
	cover  bool
	power  int
	excess []float64 // of the diagonal over the sizes of the other entries of a row; 0 where rounding explains it
	size   float64   // the largest row sum of a

	component []int32 // of each row
	singular  []singularComponent
	count     int // of components
}

// singularComponent is a component without excess: the constant on it is a null vector.
type singularComponent struct {
	label, first, size int
}

// DominanceError says that a row is not diagonally dominant.
type DominanceError struct {
	Row           int
	Diagonal, Sum float64 // the diagonal entry, and the sum of the sizes of the others
}

func (e *DominanceError) Error() string {
	return fmt.Sprintf("the matrix is not diagonally dominant: row %d has %.6g on the diagonal, and %.6g is the sum of the sizes of its other entries; give a Laplacian with a nonnegative diagonal added, or factorise the matrix (cholesky, ldlt)",
		e.Row, e.Diagonal, e.Sum)
}

// ordinaryPower is the power of two up to which the size of entries, or its reciprocal, is left as it is.
const ordinaryPower = 300

func read(matrix mat.Matrix) (*system, error) {
	a, isSparse, err := sparse.Of(matrix)
	switch {
	case err != nil:
		return nil, err
	case !isSparse:
		return nil, errors.New("the matrix is not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse")
	case a.Rows != a.Cols || a.Rows < 1:
		return nil, fmt.Errorf("the matrix is %d × %d; give a symmetric one", a.Rows, a.Cols)
	case a.Rows > math.MaxInt32/2:
		return nil, fmt.Errorf("%d rows are more than %d, which 32-bit indices of a double cover hold", a.Rows, math.MaxInt32/2)
	}
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if a, err = a.Symmetric(); err != nil {
		return nil, err
	}
	s := &system{given: a.Rows, a: a}
	s.scale()
	if err := s.dominant(); err != nil {
		return nil, err
	}
	s.components()
	return s, nil
}

// scale divides entries so large or small that their sums and reciprocals would not be numbers by a power of two.
func (s *system) scale() {
	largest := 0.0
	for _, v := range s.a.Val {
		largest = max(largest, math.Abs(v))
	}
	if _, power := math.Frexp(largest); power > ordinaryPower || power < -ordinaryPower {
		s.power = power
		b := *s.a
		b.Val = make([]float64, len(s.a.Val))
		for p, v := range s.a.Val {
			b.Val[p] = math.Ldexp(v, -power)
		}
		s.a = &b
	}
}

// dominant measures the excess of every row, and takes the double cover where entries off the diagonal are positive (Gremban 1996).
func (s *system) dominant() error {
	s.excess = make([]float64, s.a.Rows)
	for i := range s.a.Rows {
		cols, vals := s.a.Row(i)
		var diagonal, sum float64
		for p, j := range cols {
			switch v := vals[p]; {
			case int(j) == i:
				diagonal = v
			case v > 0:
				s.cover = true
				sum += v
			default:
				sum -= v
			}
		}
		s.size = max(s.size, math.Abs(diagonal)+sum)
		// Sums in another order, of entries that are rounded themselves, differ by this much.
		rounding := float64(len(cols)+1) * 0x1p-52 * max(diagonal, sum)
		if excess := diagonal - sum; excess > rounding {
			s.excess[i] = excess
		} else if !(excess >= -rounding) {
			return &DominanceError{Row: i, Diagonal: math.Ldexp(diagonal, s.power), Sum: math.Ldexp(sum, s.power)}
		}
	}
	if s.cover {
		s.double()
	}
	return nil
}

// double replaces D − N + P, with N and P off the diagonal and not negative, by the Laplacian [D − N, −P; −P, D − N] of twice the order. The
// solution for (b, −b) is (x, −x).
func (s *system) double() {
	a, n := s.a, s.a.Rows
	b := &sparse.CSR{Rows: 2 * n, Cols: 2 * n, Ptr: make([]int, 1, 2*n+1), Col: make([]int32, 0, 2*a.NNZ()), Val: make([]float64, 0, 2*a.NNZ())}
	for half := range 2 {
		for i := range n {
			cols, vals := a.Row(i)
			for side := range 2 { // of the columns
				for p, j := range cols {
					positive := int(j) != i && vals[p] > 0
					if positive != (side != half) {
						continue
					}
					v := vals[p]
					if positive {
						v = -v
					}
					b.Col, b.Val = append(b.Col, j+int32(side*n)), append(b.Val, v)
				}
			}
			b.Ptr = append(b.Ptr, len(b.Col))
		}
	}
	s.a, s.excess = b, append(s.excess, s.excess...)
}

// components labels the components by the entries that are not zero, and finds those without an excess.
func (s *system) components() {
	n := s.a.Rows
	s.component = make([]int32, n)
	for i := range s.component {
		s.component[i] = -1
	}
	var queue []int32
	for first := range n {
		if s.component[first] >= 0 {
			continue
		}
		label, excess := int32(s.count), false
		s.count++
		s.component[first] = label
		queue = append(queue[:0], int32(first))
		for at := 0; at < len(queue); at++ {
			i := int(queue[at])
			excess = excess || s.excess[i] > 0
			cols, vals := s.a.Row(i)
			for p, j := range cols {
				if vals[p] != 0 && s.component[j] < 0 {
					s.component[j] = label
					queue = append(queue, j)
				}
			}
		}
		if !excess {
			s.singular = append(s.singular, singularComponent{label: int(label), first: first, size: len(queue)})
		}
	}
}

// bytes is what is held in addition to the given matrix.
func (s *system) bytes() int64 {
	b := 12 * int64(s.a.Rows)
	if s.cover || s.power != 0 {
		b += s.a.Bytes()
	}
	return b + 24*int64(len(s.singular))
}

// InconsistentError says that a system has no solution: on a component of the graph without excess the right-hand side must have the sum zero.
type InconsistentError struct {
	Side         int // the right-hand side, counted from 0
	First, Size  int // the component: its first vertex, and how many it has
	Sum, Largest float64
	signed       bool
}

func (e *InconsistentError) Error() string {
	if e.signed {
		return fmt.Sprintf("right-hand side %d has no solution: on the component of vertex %d the matrix is singular, and the right-hand side is not orthogonal to its null vector (the product is %.3g); add a diagonal to the matrix, or take the part along the null vector away",
			e.Side, e.First, e.Sum)
	}
	what := fmt.Sprintf("the component of vertex %d (%d vertices)", e.First, e.Size)
	if e.Size == 1 {
		what = fmt.Sprintf("vertex %d, which has no edge,", e.First)
	}
	return fmt.Sprintf("right-hand side %d has no solution: its sum over %s is %.3g instead of 0; subtract its mean there, or add a diagonal to the matrix", e.Side, what, e.Sum)
}

// project takes the mean over every singular component from the columns, and refuses a right-hand side that has more than the share tolerance of its
// norm along them; tolerance < 0: none is refused.
func (s *system) project(x []float64, width int, tolerance float64, norms []float64) error {
	if len(s.singular) == 0 {
		return nil
	}
	of := make([]int32, s.count) // the singular component, counted from 1
	for q, c := range s.singular {
		of[c.label] = int32(q) + 1
	}
	sums := make([]float64, len(s.singular)*width)
	s.each(of, width, func(at, c int) {
		for l := range width {
			sums[c+l] += x[at+l]
		}
	})
	for q, c := range s.singular {
		for l, sum := range sums[q*width : (q+1)*width] {
			if tolerance >= 0 && math.Abs(sum) > tolerance*norms[l]*math.Sqrt(float64(c.size)) {
				return &InconsistentError{Side: l, First: c.first % s.given, Size: c.size, Sum: sum, signed: s.cover}
			}
			sums[q*width+l] = sum / float64(c.size)
		}
	}
	s.each(of, width, func(at, c int) {
		for l := range width {
			x[at+l] -= sums[c+l]
		}
	})
	return nil
}

// each visits the rows of singular components: the places of the row in a block of this width and of the component in a list.
func (s *system) each(of []int32, width int, visit func(at, c int)) {
	for i, label := range s.component {
		if q := of[label]; q > 0 {
			visit(i*width, int(q-1)*width)
		}
	}
}
