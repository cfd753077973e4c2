package engine

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// farOff is how many times the largest known entry an imputed one may be before a warning is
// given: the entries that are known say little about it.
const farOff = 3

// imputed are the data with X̂ = Offset + WH in place of entries of weight 0. Where nothing is
// missing they are a copy. It warns of what is far beyond all entries that are known.
func (b begun) imputed(x mat.Matrix, v nmf.Weights, r *Factorization) *mat.Dense {
	full := mat.DenseCopyOf(x)
	if !v.Present() {
		return full
	}
	var model mat.Dense
	var known, most float64
	var row, col int
	for i := range r.Samples {
		entries, at := full.RawRowView(i), v.Row(i, r.Features)
		missing := false
		for j, e := range entries {
			if at(j) == 0 {
				entries[j], missing = math.NaN(), true
			} else {
				known = max(known, math.Abs(e))
			}
		}
		if !missing {
			continue
		}
		model.Mul(r.W.RowView(i).T(), r.H)
		for j, t := range model.RawRowView(0) {
			if !math.IsNaN(entries[j]) {
				continue
			}
			if r.Offset != nil {
				t += r.Offset[j]
			}
			if entries[j] = t; math.Abs(t) > most {
				most, row, col = math.Abs(t), i, j
			}
		}
	}
	if most > farOff*known {
		b.Warn("the missing entry in row %d, column %d (counting from 1) is imputed as %.4g, where the largest known one is %.4g: the known entries do not determine it; take a smaller rank, or a penalty (alpha_w, about a hundredth of the mean of the entries)",
			row+1, col+1, full.At(row, col), known)
	}
	return full
}
