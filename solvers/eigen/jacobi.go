package eigen

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Triangularize makes the w vectors orthonormal in place (Gram–Schmidt, twice) and
// writes the upper triangular matrix r of their coefficients, w × w: column j holds
// the coefficients of vector j, each accurate against that column's own length.
func Triangularize(q [][]float64, r []float64) {
	w := len(q)
	clear(r)
	for j, v := range q {
		blas.OrthogonalizeQR(q[:j], v, r[j:], w)
		norm := math.Sqrt(blas.Dot(v, v))
		r[j*w+j] = norm
		if norm > 0 {
			blas.Scale(1/norm, v)
		}
	}
}

// JacobiSVD finds the singular values, ascending, and the right singular vectors
// (columns of v) of a w × w matrix by one-sided Jacobi rotations (Hestenes 1958),
// which find singular values to full relative accuracy where the columns are
// well conditioned except for their lengths (Demmel and Veselić 1992). a is
// destroyed.
func JacobiSVD(a []float64, w int) (singular, v []float64) {
	singular, _, right := rotated(a, w)
	v = make([]float64, w*w)
	for j, x := range right {
		for i, t := range x {
			v[i*w+j] = t
		}
	}
	return singular, v
}

// rotated is [JacobiSVD] with the left singular vectors, each vector by itself.
func rotated(a []float64, w int) (singular []float64, left, right [][]float64) {
	columns, turns := make([][]float64, w), make([][]float64, w)
	for j := range w {
		columns[j], turns[j] = make([]float64, w), make([]float64, w)
		turns[j][j] = 1
		for i := range w {
			columns[j][i] = a[i*w+j]
		}
	}
	const sweeps = 40 // a handful is usual
	for range sweeps {
		rotated := false
		for i := range w {
			for j := i + 1; j < w; j++ {
				x, y := columns[i], columns[j]
				xx, yy, xy := blas.Dot(x, x), blas.Dot(y, y), blas.Dot(x, y)
				if math.Abs(xy) <= 1e-15*math.Sqrt(xx)*math.Sqrt(yy) {
					continue
				}
				rotated = true
				zeta := (yy - xx) / (2 * xy)
				t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
				c := 1 / math.Hypot(1, t)
				turn(x, y, c, c*t)
				turn(turns[i], turns[j], c, c*t)
			}
		}
		if !rotated {
			break
		}
	}
	order := make([]int, w)
	lengths := make([]float64, w)
	for j := range w {
		order[j], lengths[j] = j, math.Sqrt(blas.Dot(columns[j], columns[j]))
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if lengths[i] < lengths[j] {
			return -1
		} else if lengths[i] > lengths[j] {
			return 1
		}
		return 0
	})
	for _, j := range order {
		singular, left, right = append(singular, lengths[j]), append(left, columns[j]), append(right, turns[j])
		if lengths[j] > 0 {
			blas.Scale(1/lengths[j], columns[j])
		}
	}
	return singular, left, right
}

// turn applies the rotation x ← c·x − s·y, y ← s·x + c·y.
func turn(x, y []float64, c, s float64) {
	for i, a := range x {
		b := y[i]
		x[i], y[i] = c*a-s*b, s*a+c*b
	}
}
