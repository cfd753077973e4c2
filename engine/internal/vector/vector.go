// Package vector has the small operations on vectors and square matrices that
// several steps share.
package vector

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Normalize scales u to unit length.
func Normalize(u []float64) { blas.Scale(1/math.Sqrt(blas.Dot(u, u)), u) }

// Sum returns the sum of the entries, added in order.
func Sum(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}

// IsZero reports whether all entries are zero.
func IsZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// Dominant returns the entry of largest magnitude, the first on ties.
func Dominant(x []float64) float64 {
	largest := x[0]
	for _, v := range x {
		if math.Abs(v) > math.Abs(largest) {
			largest = v
		}
	}
	return largest
}

// FixSign changes the sign of x so that its entry of largest magnitude, the first on ties, is positive.
func FixSign(x []float64) {
	if Dominant(x) < 0 {
		blas.Scale(-1, x)
	}
}

// Orthogonalize removes from u its components along an orthonormal basis, twice to
// reduce rounding errors, and scales it to unit length.
func Orthogonalize(basis [][]float64, u []float64) {
	for range 2 {
		blas.OrthogonalizeOnce(basis, u)
		Normalize(u)
	}
}

// Mirror copies the upper triangle of an n × n matrix to the lower one.
func Mirror(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
	}
}

// GramRounding is the relative accuracy of squared singular values from a Gram matrix, as a share of
// the largest; directions below it are not determined.
const GramRounding = 1e-14
