package quality

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// What coordinates may miss by the rounding that they were written with, in double and in
	// single precision.
	doubleRounding, singleRounding = 1e-9, 1e-5
	// missedShare: a residual up to this share of an eigenvalue turns a vector by as much.
	missedShare = 0.01
	// lessShare: a plain function with less energy than this share of a column's shows that the
	// column is not of the smallest eigenvalues.
	lessShare = 0.9
)

// rounding is what the coordinates were written with: single precision where all of them are.
func rounding(y *mat.Dense) float64 {
	n, dim := y.Dims()
	for i := range n {
		for j := range dim {
			if v := y.At(i, j); float64(float32(v)) != v {
				return doubleRounding
			}
		}
	}
	return singleRounding
}

// again is the remedy: other samples, or other parameters, made the coordinates.
const again = "give the samples, the method and the parameters that the embedding was made with, or embed again"

// Doubts are what speaks against the columns, with the eigenvalues that were told with them, if
// any were. The remedy stands behind the last.
func (r *Recheck) Doubts(y *mat.Dense, told []float64) []string {
	var doubts []string
	add := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	level := rounding(y)
	for j, residual := range r.Residuals {
		if most := level + missedShare*math.Abs(r.Values[j])/r.Norm; !(residual <= most) {
			add("column %d is no eigenvector of the alignment matrix: its residual is %.2g of the matrix, where %.2g is due to rounding", j+1, residual, most)
			break
		}
	}
	if !(r.Orthogonality <= 10*level) {
		add("the columns are not orthonormal: YᵀY is off I by %.2g", r.Orthogonality)
	}
	if !(r.Balance <= 10*level) {
		add("the columns are not orthogonal to the constants: the part along them is %.2g", r.Balance)
	}
	if last := r.Values[len(r.Values)-1]; len(doubts) == 0 && r.Less < lessShare*last-level*r.Norm {
		add("the columns are not of the smallest eigenvalues: a plain function of the data that is orthogonal to them has an energy of %.3g, and column %d has %.3g", r.Less, len(r.Values), last)
	}
	for j, value := range told {
		if j >= len(r.Values) {
			break
		}
		if own := r.Values[j]; !(math.Abs(own-value) <= missedShare*math.Abs(value)+level*r.Norm) {
			add("eigenvalue %d was told to be %.4g and is %.4g", j+1, value, own)
			break
		}
	}
	if len(doubts) > 0 {
		doubts[len(doubts)-1] += "; " + again
	}
	return doubts
}

// DoubtsOfOblique speaks against columns that are to be orthogonal.
func DoubtsOfOblique(y *mat.Dense, cosine float64) []string {
	if cosine <= 10*rounding(y) {
		return nil
	}
	return []string{fmt.Sprintf("the columns are not orthogonal: two of them have a cosine of %.2g; %s", cosine, again)}
}
