package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// twoMoons is two interleaving half circles: h = ⌊n/2⌋ angles t, then n−h
// angles u, uniform in [0, π); (cos t, sin t) and (1 − cos u, 0.5 − sin u);
// then one batch of n × 2 normal noise, then one batch of n × extra further
// columns that hold noise alone. Labels tell the moons apart.
var twoMoons = &recipe{
	name:    "two-moons",
	samples: 500,
	parameters: []Parameter{
		nonNegative("noise", "0.13", "standard deviation of the normal noise added to the moons"),
		count("extra", "0", 0, "further columns of noise alone"),
		nonNegative("extra_sd", "0.5", "standard deviation of the further columns"),
	},
	features: func(v values) int { return 2 + v.count("extra") },
	draw: func(n int, v values, src *source) *Set {
		m := 2 + v.count("extra")
		x, labels, angles := mat.NewDense(n, m, nil), make([]int64, n), make([]float64, n)
		src.uniforms(angles)
		noise := src.scaledNormals(v.number("noise"), 2*n)
		extra := src.scaledNormals(v.number("extra_sd"), (m-2)*n)
		for i, u := range angles {
			sin, cos := math.Sincos(math.Pi * u)
			if i >= n/2 {
				labels[i] = 1
				sin, cos = 0.5-sin, 1-cos
			}
			row := x.RawRowView(i)
			row[0], row[1] = cos+noise[2*i], sin+noise[2*i+1]
			copy(row[2:], extra[i*(m-2):(i+1)*(m-2)])
		}
		return &Set{X: x, Labels: labels}
	},
}
