package measures

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Deviation measures how far an n × d embedding Y is from an affine image of the
// n × p true coordinates T: the relative error of the best affine map from Y to
// T, between 0 (perfect up to an affine map) and 1. With P the projector onto
// the span of 1 and the columns of Y,
//
//	dev     = ‖(I−P)T‖₂ / ‖T‖₂          (Wang and Zhang 2010, eq. 7.1)
//	centred = ‖(I−P)T‖_F / ‖T − 1t̄ᵀ‖_F   = √(1 − R²), t̄ the mean of T
//
// The denominator of dev, in the spectral norm, is not centred, as printed: dev
// depends on where the origin of T lies, and on the units of its columns;
// centred depends on the latter only. Columns of Y that depend on others to
// 1e-12 of their norm count once.
//
// It returns an error if the numbers of rows differ, for values that are not
// finite, and for a constant truth. Time is
// O(n(d+p)² + p³).
func Deviation(truth, embedding mat.Matrix) (dev, centred float64, err error) {
	const measure = "dev"
	t, err := readPoints(measure, "truth", truth)
	if err != nil {
		return 0, 0, err
	}
	y, err := readPoints(measure, "embedding", embedding)
	if err != nil {
		return 0, 0, err
	}
	if t.N != y.N {
		return 0, 0, fmt.Errorf("%s: the truth has %d rows and the embedding %d; they have to be the same samples", measure, t.N, y.N)
	}
	whole := columns(t)
	// A common scale of all columns keeps squares in range and cancels in the ratios.
	top := largest(t.Data)
	for _, c := range whole {
		unscale(c, top)
	}
	residual := make([][]float64, t.M)
	spread := 0.0
	for j, c := range whole {
		residual[j] = append([]float64(nil), c...)
		centre(residual[j])
		spread += blas.Dot(residual[j], residual[j])
	}
	// Rounding alone leaves about 1e-16 of a constant column.
	if math.Sqrt(spread) <= 1e-14*math.Sqrt(float64(len(t.Data))) {
		return 0, 0, fmt.Errorf("%s: the truth is the same in all %d rows; there is nothing to recover", measure, t.N)
	}
	basis := centredBasis(columns(y))
	rest := 0.0
	for _, r := range residual {
		blas.Orthogonalize(basis, r)
		rest += blas.Dot(r, r)
	}
	size, err := spectralNorm(whole)
	if err != nil {
		return 0, 0, err
	}
	left, err := spectralNorm(residual)
	if err != nil {
		return 0, 0, err
	}
	return math.Min(left/size, 1), math.Min(math.Sqrt(rest/spread), 1), nil
}

// columns copies the points column by column.
func columns(p blas.Rows) [][]float64 {
	cols := make([][]float64, p.M)
	for j := range cols {
		cols[j] = make([]float64, p.N)
		for i := range cols[j] {
			cols[j][i] = p.Data[i*p.M+j]
		}
	}
	return cols
}

// centre subtracts the mean twice, because the first mean is rounded.
func centre(x []float64) {
	for range 2 {
		mean := 0.0
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for i := range x {
			x[i] -= mean
		}
	}
}

// centredBasis replaces the columns by an orthonormal basis of the span of the centred
// columns.
func centredBasis(cols [][]float64) [][]float64 {
	basis := cols[:0]
	for _, c := range cols {
		if !unscale(c, largest(c)) {
			continue
		}
		before := math.Sqrt(blas.Dot(c, c))
		centre(c)
		if !normalise(c, 1e-14*before) {
			continue
		}
		if len(basis) == len(c)-1 {
			break // everything is spanned
		}
		blas.Orthogonalize(basis, c)
		if normalise(c, 1e-12) {
			basis = append(basis, c)
		}
	}
	return basis
}

// unscale divides x by top, or reports that x is zero.
func unscale(x []float64, top float64) bool {
	if top == 0 {
		return false
	}
	for i := range x {
		x[i] /= top
	}
	return true
}

// normalise scales x to norm 1, or reports that its norm is at most floor.
func normalise(x []float64, floor float64) bool {
	norm := math.Sqrt(blas.Dot(x, x))
	if norm <= floor {
		return false
	}
	blas.Scale(1/norm, x)
	return true
}

// spectralNorm returns the largest singular value of a matrix given by its
// columns. Squaring the matrix does not affect the accuracy of the largest one.
func spectralNorm(cols [][]float64) (float64, error) {
	gram := mat.NewSymDense(len(cols), nil)
	for i := range cols {
		for j := range i + 1 {
			gram.SetSym(i, j, blas.Dot(cols[i], cols[j]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, false) {
		return 0, fmt.Errorf("dev: the singular values of a truth with %d columns did not converge", len(cols))
	}
	values := eig.Values(nil)
	return math.Sqrt(math.Max(values[len(values)-1], 0)), nil
}
