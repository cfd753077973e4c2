package measures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Procrustes returns the disparity of two maps a and b of the same samples (Gower 1975): the residual of
// one, relative to its sum of squares about the mean, after the best translation,
// rotation or reflection, and scaling of the other,
//
//	1 − (Σσ)²/(‖A‖²‖B‖²),   σ the singular values of AᵀB, A and B about their means
//
// It is 0 if the maps are equal up to these transformations, and at most 1. It is symmetric in a and b, and equals the disparity
// of scipy.spatial.procrustes. The map with fewer columns is padded with zeros.
//
// a is n × p and b n × q. It returns an error if the numbers of rows differ, for values that are not finite, and for a map
// whose rows are all equal. Time is O(npq) plus the singular values of a p × q matrix.
func Procrustes(a, b mat.Matrix) (float64, error) {
	const measure = "procrustes"
	first, err := readPoints(measure, "first map", a)
	if err != nil {
		return 0, err
	}
	second, err := readPoints(measure, "second map", b)
	if err != nil {
		return 0, err
	}
	if first.N != second.N {
		return 0, fmt.Errorf("%s: the first map has %d rows and the second %d; they have to be the same samples", measure, first.N, second.N)
	}
	var shapes [2][][]float64
	for m, p := range []blas.Rows{first, second} {
		var there bool
		if shapes[m], there = shape(p); !there {
			return 0, fmt.Errorf("%s: %s is the same in all %d rows; it has no shape", measure, [2]string{"the first map", "the second map"}[m], p.N)
		}
	}
	product := mat.NewDense(first.M, second.M, nil)
	for i, c := range shapes[0] {
		for j, d := range shapes[1] {
			product.Set(i, j, blas.Dot(c, d))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(product, mat.SVDNone) {
		return 0, fmt.Errorf("%s: the singular values of maps with %d and %d columns did not converge", measure, first.M, second.M)
	}
	fit := 0.0
	for _, v := range svd.Values(nil) {
		fit += v
	}
	return max(0, 1-float64(fit*fit)), nil
}

// shape returns a map, column by column, centred and scaled to norm 1; false if it is constant.
func shape(p blas.Rows) ([][]float64, bool) {
	cols := columns(p)
	top, squares := largest(p.Data), 0.0
	for _, c := range cols {
		if !unscale(c, top) {
			return nil, false
		}
		centre(c)
		squares += blas.Dot(c, c)
	}
	norm := math.Sqrt(squares)
	if norm <= 1e-14*math.Sqrt(float64(len(p.Data))) { // rounding leaves about 1e-16 of a constant column
		return nil, false
	}
	for _, c := range cols {
		blas.Scale(1/norm, c)
	}
	return cols, true
}
