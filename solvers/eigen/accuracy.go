package eigen

import (
	"fmt"
	"math"
	"slices"
)

const (
	// roundings times 2⁻⁵² and the size of a matrix is what rounding its entries, and products with it, may move an
	// eigenvalue by, about.
	roundings = 8
	// fewDigits is the relative error from which a value is doubted, where it is more than clearly times its error, or that is more
	// than levelShare of the smallest rows: the zeros of every singular matrix are at rounding level themselves.
	fewDigits  = 1e-3
	clearly    = 2
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

// minOf is the least size, the largest of its entries, of a row or column that is not zero.
func minOf(rows, cols int, each func(visit func(i, j int, v float64))) float64 {
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
		size := math.Abs(values[j])
		if v > fewDigits*size && (v > levelShare*least || size > clearly*v) && least > 0 {
			if count == 0 {
				first = j
			}
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %d %s are sure to fewer than three digits: number %d (counting from 0), %.6g, may be off by %.2g, since rounding in the larger entries of the matrix hides them",
		count, len(values), what, first, values[first], errors[first])
}

// Warnings lists what a caller should know of the pairs: a shift that was moved, what a count of eigenvalues does
// not prove, and values of which few digits are sure.
func (e *Eigen) Warnings() []string {
	uncertified := ""
	if e.Certificate != nil {
		uncertified = e.Certificate.Doubt(len(e.Values))
	}
	return given(e.Moved, uncertified, e.Doubt())
}

// Warnings lists the values of which few digits are sure.
func (r *Singular) Warnings() []string { return given(r.Doubt()) }

// given returns those texts that are not empty.
func given(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// Digits is the number of decimal digits of each value that are sure by its estimated error, 0 to 16: none of a value that
// is zero within rounding.
func (e *Eigen) Digits() []int {
	digits := make([]int, len(e.Values))
	for j, v := range e.Values {
		switch off := e.Errors[j] / math.Abs(v); {
		case off == 0:
			digits[j] = mostDigits
		case off < 1:
			digits[j] = min(int(-math.Log10(off)), mostDigits)
		}
	}
	return digits
}

// mostDigits is the number of digits of a float64.
const mostDigits = 16

// measured is the number of vectors whose residuals are measured at a time: products with
// eight vectors cost little more than with one.
const measured = 8

// lanes are vectors side by side: entry i of vector j is data[i·width + j].
type lanes struct {
	width int
	data  []float64
}

// set copies vectors.
func (l *lanes) set(vectors [][]float64) {
	l.width = len(vectors)
	l.data = grown(l.data, l.width*len(vectors[0]))
	for i := range vectors[0] {
		row := l.data[i*l.width:]
		for j, v := range vectors {
			row[j] = v[i]
		}
	}
}

// like makes room for as many vectors as x.
func (l *lanes) like(x lanes) []float64 {
	l.width, l.data = x.width, grown(l.data, len(x.data))
	return l.data
}

// dots are the inner products of the vectors of both.
func dots(x, y lanes) []float64 {
	var sum [measured]float64
	of := sum[:x.width]
	for at := 0; at < len(x.data); at += x.width {
		u, v := x.data[at:at+len(of)], y.data[at:at+len(of)]
		for j, t := range u {
			of[j] += t * v[j]
		}
	}
	return of
}

// distances are ‖y − λz‖₂ of the vectors, each with its λ.
func distances(y, z lanes, lambda []float64) []float64 {
	var sum [measured]float64
	of := sum[:y.width]
	lambda = lambda[:len(of)]
	for at := 0; at < len(y.data); at += y.width {
		u, v := y.data[at:at+len(of)], z.data[at:at+len(of)]
		for j, t := range u {
			d := t - lambda[j]*v[j]
			of[j] += d * d
		}
	}
	for j, t := range of {
		of[j] = math.Sqrt(t)
	}
	return of
}
