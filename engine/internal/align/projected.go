package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/sparse"
)

// ProjectedSum is Q = XᵀΦX for the sum Φ of the patches: the alignment of
// embeddings that are linear, Y = XV. Φ stays sparse; where there are more columns
// than samples, no m × m matrix is formed unless b asks for all features.
//
// Φ sends constants to zero, so that Q is the same for centred samples, from which
// it is computed: a mean far from the origin then costs no digits.
func ProjectedSum(b Constraint, dim int) Rule[*Projection] {
	return func(in Input) (*Projection, error) {
		if err := roomForProjection(in, b); err != nil {
			return nil, err
		}
		a, err := GraphTerm(in)
		if err != nil {
			return nil, err
		}
		warnOfLoose(in, a.Phi, "the projection")
		in.Run = in.Holding(a.Phi.Bytes())
		if err := roomForProjection(in, b); err != nil {
			return nil, err
		}
		defer in.Phase("alignment")()
		n, m := in.X.N(), in.X.M()
		centered := in.X.Centered(in.X.Mean()).Data()
		d := &Projection{Order: m}
		if b != UnitInFeatures {
			if err := restrict(in, d, b, a.Phi, centered, dim); err != nil {
				return nil, err
			}
		}
		in.Settle(numbersOf(n, m) + quadraticBytes(n, m, in.Threads())) // without what found the range
		z := centered
		lifted := d.Axes != nil && n <= 2*m // cheaper than turning Q by the axes afterwards
		if lifted {
			z = make([]float64, n*d.Order)
			in.Kernels().GemmParallel(in.Threads(), false, true, n, d.Order, m, 1, centered, m, d.Axes, m, 0, z, d.Order)
		}
		width := m
		if lifted {
			width = d.Order
		}
		if d.Q, err = quadratic(in.Run, a.Phi, z, width); err != nil {
			return nil, err
		}
		if d.Axes != nil && !lifted {
			d.Q = rotated(in.Run, d.Q, m, d.Axes, d.Order)
		}
		in.Explain("alignment: a projection problem of order %d", d.Order)
		return d, in.Err()
	}
}

// restrict finds the range of B, and B in it.
func restrict(in Input, d *Projection, b Constraint, phi *sparse.CSR, centered []float64, dim int) error {
	n, m := in.X.N(), in.X.M()
	rows := centered
	if b != UnitInRange {
		rows = in.X.Data()
	}
	if b == DegreeGram {
		rows = append([]float64(nil), rows...)
		for i := range n {
			blas.Scale(math.Sqrt(max(phi.At(i, i), 0)), rows[i*m:i*m+m])
		}
	}
	s, err := rangeOf(in.Run, rows, n, m)
	if err != nil {
		return err
	}
	in.Note("rank", s.Rank)
	switch {
	case s.Rank == 0 && b == DegreeGram && !vector.IsZero(in.X.Data()):
		return wording.Errorf("%s: all edges of the neighbour graph have weight 0; take a larger ‹t›, or other weights", in.Method())
	case s.Rank == 0:
		return fmt.Errorf("%s: all samples are equal; there is no direction to project them on", in.Method())
	case s.Rank < dim:
		return fmt.Errorf("%s: dim %d of data of rank %d; give at most %d", in.Method(), dim, s.Rank, s.Rank)
	}
	if s.Rank < m {
		in.Explain("alignment: restricted to the range of the data, rank %d of %d columns", s.Rank, m)
	}
	if b != UnitInRange {
		d.Order, d.Axes, d.B = s.Rank, s.Axes, s.Values
	} else if s.Rank < m {
		d.Order, d.Axes = s.Rank, s.Axes
	}
	return nil
}

// roomForProjection refuses what the memory limit does not allow: the centred samples
// and Φ times them, or the range of B, and the matrices of the order of the problem.
func roomForProjection(in Input, b Constraint) error {
	n, m := in.X.N(), in.X.M()
	need := quadraticBytes(n, m, in.Threads())
	if b != UnitInFeatures {
		order := min(n, m)
		span := spanBytes(n, m)
		if b == DegreeGram {
			span += numbersOf(n, m)
		}
		if n <= 2*m { // lifted
			need = numbersOf(n, order) + quadraticBytes(n, order, in.Threads())
		}
		need = max(span, numbersOf(order, m)+need)
		need = max(need, numbersOf(order, m)+numbersOf(order, order)+eigenBytes(order))
	}
	need += numbersOf(n, m)
	return in.Fit(need, fmt.Sprintf("%d × %d samples need", n, m), "for the projection: take fewer columns or landmarks, or raise the limit")
}
