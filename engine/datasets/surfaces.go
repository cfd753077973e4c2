package datasets

import (
	"fmt"
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

// triplePeak is a square sheet with three Gaussian peaks, one up and two down,
// on a g × g grid of [−1.5, 1.5]² with both ends (t slow, s fast). Nothing is
// drawn. Intrinsic coordinates (t, s).
var triplePeak = &recipe{
	name:     "triple-peak",
	samples:  1225,
	features: fixed(3),
	check: func(n int, _ values) error {
		if g := squareRoot(n); n < 4 || g*g != n {
			low := max(2, g)
			return fmt.Errorf("%d samples requested of a square grid, want a square of 2 or more such as %d or %d", n, low*low, (low+1)*(low+1))
		}
		return nil
	},
	draw: func(n int, _ values, _ *source) *Set {
		g := squareRoot(n)
		x, params := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
		at := func(i int) float64 { // the ends exactly
			if i == g-1 {
				return 1.5
			}
			return -1.5 + float64(i)*(3/float64(g-1))
		}
		for i := range n {
			t, s := at(i/g), at(i%g)
			height := math.Exp(-10*((t-.5)*(t-.5)+(s-.5)*(s-.5))) -
				math.Exp(-10*(t*t+(s+1)*(s+1))) -
				math.Exp(-10*((1+t)*(1+t)+s*s))
			x.SetRow(i, []float64{t, s, height})
			params.SetRow(i, []float64{t, s})
		}
		return &Set{X: x, Params: params}
	},
}

// squareRoot returns ⌊√n⌋; the root is exact for n up to the largest set.
func squareRoot(n int) int { return int(math.Sqrt(float64(n))) }
