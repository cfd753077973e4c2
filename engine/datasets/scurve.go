package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// sCurve is a sheet bent to the letter S, by the formula of scikit-learn's
// make_s_curve: per sample u then v with t = 3π(u − ½) and s = 2v,
// x = (sin t, s, sign(t)(cos t − 1)); then noise·normals(n × 3). The curve has unit
// speed, so that t is the arc length from its middle. Intrinsic coordinates (s, t).
var sCurve = &recipe{
	name:       "s-curve",
	parameters: []Parameter{nonNegative("noise", "0", "standard deviation of the normal noise added to every coordinate")},
	features:   fixed(3),
	draw: func(n int, v values, src *source) *Set {
		x, params := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
		rng := src.at(0)
		for i := range n {
			t := 3 * math.Pi * (rng.Uniform() - 0.5)
			s := 2 * rng.Uniform()
			sin, cos := math.Sincos(t)
			x.SetRow(i, []float64{sin, s, math.Copysign(1-cos, -t)})
			params.SetRow(i, []float64{s, t})
		}
		src.skip(2 * n)
		if sd := v.number("noise"); sd > 0 {
			data := x.RawMatrix().Data
			for i, e := range src.scaledNormals(sd, len(data)) {
				data[i] += e
			}
		}
		return &Set{X: x, Params: params}
	},
}
