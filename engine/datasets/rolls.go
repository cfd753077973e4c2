package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

var (
	rollNoise  = nonNegative("noise", "0", "half width of the uniform noise added to every coordinate")
	rollParams = choice("params", "roll: height and angle t; isometric: height and arc length, of which the roll is an isometric image", "roll", "isometric")
)

// swissRoll is a rectangle rolled up: per sample u, v with t = 1.5π(1+2u),
// s = 21v, x = (t cos t, s, t sin t); then the noise, row by row. Intrinsic
// coordinates (s, t).
var swissRoll = &recipe{
	name:       "swiss-roll",
	parameters: []Parameter{rollNoise, rollParams},
	features:   fixed(3),
	draw:       func(n int, v values, src *source) *Set { return drawRoll(n, v, src, nil) },
}

// swissRollHole is the roll without the samples of a rectangle in its middle,
// each of which is drawn again until it lies elsewhere.
var swissRollHole = &recipe{
	name:       "swiss-roll-hole",
	parameters: []Parameter{rollNoise, rollParams},
	features:   fixed(3),
	draw: func(n int, v values, src *source) *Set {
		return drawRoll(n, v, src, func(s, t float64) bool {
			return 8 < s && s < 13 && 2.5*math.Pi < t && t < 3.5*math.Pi
		})
	},
}

// swissRoll3D is a box rolled up in four dimensions: per sample u, v, w with t
// and s as in the roll and q = 21w, x = (t cos t, s, t sin t, q). Intrinsic
// coordinates (s, t, q).
var swissRoll3D = &recipe{
	name:       "swiss-roll-3d",
	parameters: []Parameter{rollParams},
	features:   fixed(4),
	draw: func(n int, v values, src *source) *Set {
		x, params := mat.NewDense(n, 4, nil), mat.NewDense(n, 3, nil)
		along, rng := coordinate(v), src.at(0)
		for i := range n {
			t, s := rollPoint(rng)
			q := 21 * rng.Uniform()
			sin, cos := math.Sincos(t)
			x.SetRow(i, []float64{t * cos, s, t * sin, q})
			params.SetRow(i, []float64{s, along(t), q})
		}
		return &Set{X: x, Params: params}
	},
}

// rollPoint draws a place on the sheet: angle first, then height.
func rollPoint(rng *blas.Stream) (t, s float64) {
	t = 1.5 * math.Pi * (1 + 2*rng.Uniform())
	return t, 21 * rng.Uniform()
}

func drawRoll(n int, v values, src *source, hole func(s, t float64) bool) *Set {
	x, params := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	along, rng := coordinate(v), src.at(0)
	for i := range n {
		t, s := rollPoint(rng)
		for hole != nil && hole(s, t) {
			t, s = rollPoint(rng)
		}
		sin, cos := math.Sincos(t)
		x.SetRow(i, []float64{t * cos, s, t * sin})
		params.SetRow(i, []float64{s, along(t)})
	}
	if noise := v.number("noise"); noise > 0 {
		data := x.RawMatrix().Data
		for i := range data {
			data[i] += noise * (1 - 2*rng.Uniform())
		}
	}
	return &Set{X: x, Params: params}
}

// coordinate returns what is written for the angle t: t itself, or the length
// of the spiral r = t up to it.
func coordinate(v values) func(t float64) float64 {
	if v.word("params") == "isometric" {
		return func(t float64) float64 { return 0.5 * (t*math.Sqrt(1+t*t) + math.Asinh(t)) }
	}
	return func(t float64) float64 { return t }
}
