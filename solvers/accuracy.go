package solvers

import (
	"fmt"
	"math"
)

const (
	// roundings times 2⁻⁵² and the size of a matrix is what rounding its entries, and products with it, may move an
	// eigenvalue by, about.
	roundings = 8
	// fewDigits is the relative error from which a value is doubted, where its error is also more than levelShare of the
	// smallest rows: at rounding level itself stand the zeros of every singular matrix.
	fewDigits  = 1e-3
	levelShare = 1e-12
)

// error estimates how far a value may be from the eigenvalue, by the Rayleigh quotient xᵀAx/xᵀMx of its vector, the residual
// ‖Ax − λMx‖/‖x‖_M, and the size (|A| + |λ||M|)‖x‖²/xᵀMx of what is rounded. The quotient itself is off by the square
// of the residual over the gap (Parlett, The Symmetric Eigenvalue Problem, 1998, 11.7).
func (p *problem) error(e *Eigen, j int, quotient, residual, size float64) float64 {
	rounded := roundings * 0x1p-52 * size
	if e.Refinements > 0 { // values of BBᵀ
		return valueTolerance * math.Abs(e.Values[j])
	}
	left := residual
	if p.inverted { // the tolerance is of 1/(λ − σ), in which the large rows are small
		left = p.toleranceOr(ritzTolerance) * math.Abs(e.Values[j]-p.sigma)
		if p.shift != 0 {
			left = p.toleranceOr(ritzTolerance) * math.Abs(e.Values[j]+p.shift)
		}
	}
	if gap := e.gap(j); gap > 0 {
		left = min(left, left*left/gap)
	}
	return math.Abs(quotient-e.Values[j]) + left + rounded
}

// gap is the distance from a value to the nearest other one; 0 where there is no other.
func (e *Eigen) gap(j int) float64 { return gapOf(e.Values, e.Next, j) }

func gapOf(values []float64, next float64, j int) float64 {
	nearest := math.Abs(next - values[j])
	for _, i := range [2]int{j - 1, j + 1} {
		if i >= 0 && i < len(values) {
			if d := math.Abs(values[i] - values[j]); !(d >= nearest) {
				nearest = d
			}
		}
	}
	if math.IsNaN(nearest) {
		return 0
	}
	return nearest
}

// leastOf is the least size, the largest of its entries, of a row or column that is not zero.
func leastOf(rows, cols int, each func(visit func(i, j int, v float64))) float64 {
	row, column := make([]float64, rows), make([]float64, cols)
	each(func(i, j int, v float64) {
		v = math.Abs(v)
		row[i], column[j] = max(row[i], v), max(column[j], v)
	})
	first, _ := extremes(row, nil)
	second, _ := extremes(column, nil)
	return min(first, second)
}

// Doubt says which values are known to fewer than three digits, since they are hidden by rounding in entries of very
// different sizes; empty: none is.
func (e *Eigen) Doubt() string { return doubtOf("eigenvalues", e.Values, e.Errors, e.least) }

func doubtOf(what string, values, errors []float64, least float64) string {
	count, first := 0, 0
	for j, v := range errors {
		if v > fewDigits*math.Abs(values[j]) && v > levelShare*least && least > 0 {
			if count == 0 {
				first = j
			}
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %d %s are sure to fewer than three digits: number %d (counting from 0), %.6g, may be off by %.2g, since the matrix has rows of very different sizes and rounding in the large ones hides the small",
		count, len(values), what, first, values[first], errors[first])
}
