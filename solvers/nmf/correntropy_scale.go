package nmf

import (
	"cmp"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Rules for the scale of the residuals, whose square times Sigma.Theta is σ².
const (
	// MeanScale is that of You et al. (2015): σ² = θ·mean(E²) over all entries, in every
	// iteration. It may rise, and where most entries are zero it is that of the zeros.
	MeanScale = "mean"
	// MedianScale is 1.4826 times the weighted median of |E|, the weights being the entries of
	// the data, over at most 2048 evenly spaced samples. It is taken in every tenth iteration.
	// Here σ² never rises, and so neither does Point.Surrogate: 2σ²(1 − exp(−e²/2σ²)) grows with σ².
	MedianScale = "median"
)

const (
	// medianScale makes the median of |e| the standard deviation of normal residuals.
	medianScale = 1.4826
	// medianEvery is the number of iterations from one median to the next.
	medianEvery = 10
	// medianRows bounds the rows of which a median is taken.
	medianRows = 2048
	// binBits are the bits of the mantissa that separate the bins of residuals.
	binBits = 6
)

// scaleOfData is the scale of the residuals at the entries that the data have: the median
// of |E| with the weights X. Entries of zero, which are most of sparse data and nearly fitted
// by any factors, say nothing of how far those of the data are off.
func (u *correntropy) scaleOfData() float64 {
	if u.bins == nil {
		u.bins = make([]float64, 2048<<binBits)
	}
	clear(u.bins)
	var whole float64
	u.residualsOfData(func(x, e float64) {
		u.bins[binOf(e)] += x
		whole += x
	})
	left, bin := whole/2, 0
	for ; bin < len(u.bins)-1 && u.bins[bin] < left; bin++ {
		left -= u.bins[bin]
	}
	var within [][2]float64 // |e| and x of the bin that has the median
	u.residualsOfData(func(x, e float64) {
		if binOf(e) == bin {
			within = append(within, [2]float64{e, x})
		}
	})
	slices.SortFunc(within, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	var scale float64 // 0 where the data are zero throughout
	for _, v := range within {
		if scale, left = medianScale*v[0], left-v[1]; left <= 0 {
			break
		}
	}
	return scale
}

// binOf is the bin of a residual ≥ 0: its exponent, and the first bits of its mantissa.
func binOf(e float64) int { return int(math.Float64bits(e) >> (52 - binBits)) }

// residualsOfData calls do for the entries x > 0 of some samples with their |x − (WH)|.
func (u *correntropy) residualsOfData(do func(x, e float64)) {
	m, r := u.m, u.r
	rows, model := min(u.n, medianRows), u.scratch[0].row
	for q := range rows {
		i := q * u.n / rows
		w := u.w[i*r : (i+1)*r]
		if a := u.data.Sparse; a != nil {
			cols, vals := a.Row(i)
			for p, j := range cols {
				if vals[p] > 0 {
					do(vals[p], math.Abs(vals[p]-blas.Dot(w, u.ht[int(j)*r:int(j)*r+r])))
				}
			}
			continue
		}
		u.kernels.Gemm(false, false, 1, m, r, 1, w, r, u.h, m, 0, model, m)
		for j, x := range u.data.Dense[i*m : (i+1)*m] {
			if x > 0 {
				do(x, math.Abs(x-model[j]))
			}
		}
	}
}
