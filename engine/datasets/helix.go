package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// helix is two turns of a screw: all uniforms first, then
// t_i = 4π(i + 0.8·uniform_i)/n and x = (cos t, sin t, 0.3t). Intrinsic
// coordinate t.
var helix = &recipe{
	name:     "helix",
	features: fixed(3),
	draw: func(n int, _ values, src *source) *Set {
		x, t := mat.NewDense(n, 3, nil), make([]float64, n)
		src.uniforms(t)
		for i := range t {
			t[i] = 4 * math.Pi * (float64(i) + 0.8*t[i]) / float64(n)
			sin, cos := math.Sincos(t[i])
			x.SetRow(i, []float64{cos, sin, 0.3 * t[i]})
		}
		return &Set{X: x, Params: mat.NewDense(n, 1, t)}
	},
}
