package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// waveform is Breiman's three classes of noisy mixtures of two triangular
// waves, in order of class: the class of row j is ⌊3j/n⌋. Per row one uniform
// u, then 21 normal numbers; feature i = 1…21 is u·h_a(i) + (1−u)·h_b(i) +
// normal, where h_c(i) = max(6 − |i − c|, 0).
var waveform = &recipe{
	name:     "waveform",
	features: fixed(21),
	draw: func(n int, _ values, src *source) *Set {
		const m = 21
		x, labels := mat.NewDense(n, m, nil), make([]int64, n)
		parallel(n, 256, func(lo, hi int) {
			rng := src.at(lo * (1 + outputs(m)))
			for j := lo; j < hi; j++ {
				class := 3 * j / n
				labels[j] = int64(class)
				u, row := rng.Uniform(), x.RawRowView(j)
				rng.Normals(row)
				a, b := waves[class][0], waves[class][1]
				for i := range row {
					row[i] += u*wave(a, i+1) + (1-u)*wave(b, i+1)
				}
			}
		})
		return &Set{X: x, Labels: labels}
	},
}

// waves are the centres of the two waves that each class mixes.
var waves = [3][2]int{{11, 15}, {11, 7}, {15, 7}}

func wave(centre, i int) float64 { return math.Max(6-math.Abs(float64(i-centre)), 0) }
