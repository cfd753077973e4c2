package nmf

import "math"

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
	// binBits are the bits of the mantissa that tell the bins of residuals.
	binBits = 6
)

// scaleOfData is the scale of the residuals at the entries that the data have: the median
// of |E| with the weights X. Entries of zero, which are most of sparse data and nearly fitted
// by any factors, say nothing of how far those of the data are off.
func (u *correntropy) scaleOfData() float64 {
	m, r := u.m, u.r
	rows := min(u.n, medianRows)
	if u.bins == nil {
		u.bins = make([]float64, 2048<<binBits)
	}
	clear(u.bins)
	var whole float64
	add := func(x, e float64) {
		u.bins[math.Float64bits(math.Abs(e))>>(52-binBits)] += x
		whole += x
	}
	model := u.scratch[0].row
	for q := range rows {
		i := q * u.n / rows
		w := u.w[i*r : (i+1)*r]
		if a := u.data.Sparse; a != nil {
			cols, vals := a.Row(i)
			for p, j := range cols {
				var t float64
				for k, v := range u.ht[int(j)*r : int(j)*r+r] {
					t += w[k] * v
				}
				add(vals[p], vals[p]-t)
			}
			continue
		}
		u.kernels.Gemm(false, false, 1, m, r, 1, w, r, u.h, m, 0, model, m)
		for j, x := range u.data.Dense[i*m : (i+1)*m] {
			if x > 0 {
				add(x, x-model[j])
			}
		}
	}
	left := whole / 2
	for b, v := range u.bins {
		if v > 0 && left <= v {
			low := math.Float64frombits(uint64(b) << (52 - binBits))
			high := math.Float64frombits(uint64(b+1) << (52 - binBits))
			return medianScale * (low + (high-low)*left/v)
		}
		left -= v
	}
	return 0
}
