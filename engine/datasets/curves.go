package datasets

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

var trefoilParameters = []Parameter{
	count("dims", "100", 3, "dimension of the space that the knot is rotated into"),
	nonNegative("noise", "0.001", "standard deviation of the normal noise added to every coordinate"),
}

var knotParams = choice("params", "angle: t; isometric: (cos φ, sin φ) with φ the share of the knot's length up to the sample times 2π, the ring of which the knot is an isometric image but for its size", "angle", "isometric")

// trefoil is a closed knotted curve in a space of many dimensions: Q first
// (dims × 3), then one batch of n × dims noise. t_j = 2πj/n, and
// ((2+cos 3t) cos 2t, (2+cos 3t) sin 2t, sin 3t)·Qᵀ + noise. Intrinsic
// coordinate t, or the place on a ring of the same length as the knot.
var trefoil = &recipe{
	name:       "trefoil",
	parameters: append([]Parameter{knotParams}, trefoilParameters...),
	features:   dims,
	check:      checkFrame,
	draw: func(n int, v values, src *source) *Set {
		x, t := drawKnots(n, 1, v, src)
		if v.word("params") == "isometric" {
			return &Set{X: x, Params: onRing(t)}
		}
		return &Set{X: x, Params: mat.NewDense(n, 1, t)}
	},
}

// twoTrefoils is two such knots of n/2 samples each that share one Q, the
// second shifted along its first coordinate so that they interlock. Labels are
// the knots.
var twoTrefoils = &recipe{
	name:       "two-trefoils",
	parameters: append([]Parameter{anyNumber("shift", "3.8", "distance between the knots")}, trefoilParameters...),
	features:   dims,
	check: func(n int, v values) error {
		if n%2 != 0 {
			return fmt.Errorf("%d samples requested of two equal knots, want an even number", n)
		}
		return checkFrame(n, v)
	},
	draw: func(n int, v values, src *source) *Set {
		x, _ := drawKnots(n, 2, v, src)
		labels := make([]int64, n)
		for i := n / 2; i < n; i++ {
			labels[i] = 1
		}
		return &Set{X: x, Labels: labels}
	},
}

func dims(v values) int { return v.count("dims") }

func checkFrame(_ int, v values) error { return fits("dims × 3", dims(v), 3) }

// drawKnots draws n samples on equally many to each knot; the j-th knot is
// shifted by j·shift. It also returns the angles.
func drawKnots(n, knots int, v values, src *source) (*mat.Dense, []float64) {
	m, noise, shift := dims(v), v.number("noise"), v.number("shift")
	frame := drawFrame(m, src)
	data, angles := make([]float64, n*m), make([]float64, n)
	src.normals(data)
	each := n / knots
	parallel(n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t := 2 * math.Pi * float64(i%each) / float64(each)
			angles[i] = t
			sin2, cos2 := math.Sincos(2 * t)
			sin3, cos3 := math.Sincos(3 * t)
			p := [3]float64{(2+cos3)*cos2 + float64(i/each)*shift, (2 + cos3) * sin2, sin3}
			row := data[i*m : (i+1)*m]
			for c := range row {
				row[c] = p[0]*frame[0][c] + p[1]*frame[1][c] + p[2]*frame[2][c] + noise*row[c]
			}
		}
	})
	return mat.NewDense(n, m, data), angles
}

// drawFrame returns the three columns of Q, where Q·R is a matrix of m × 3
// normal numbers and R has a positive diagonal. Gram–Schmidt gives just this
// sign; run twice over each column it is orthogonal to rounding.
func drawFrame(m int, src *source) [3][]float64 {
	normal := src.scaledNormals(1, 3*m)
	var q [3][]float64
	for j := range q {
		q[j] = make([]float64, m)
		for c := range m {
			q[j][c] = normal[3*c+j]
		}
		blas.Orthogonalize(q[:j], q[j])
		blas.Scale(1/math.Sqrt(blas.Dot(q[j], q[j])), q[j])
	}
	return q
}

// knotTerms is how many terms of the series of the trefoil's speed are kept: from the
// twentieth on they are below rounding.
const knotTerms = 32

// knotSpeed is the length of the trefoil's derivative at the angle t.
func knotSpeed(t float64) float64 {
	r := 2 + math.Cos(3*t)
	return math.Sqrt(9 + 4*r*r)
}

// onRing returns (cos φ, sin φ) of every angle t of the trefoil, n × 2, where φ is 2π
// times the share of the knot's length between 0 and t. The speed is
// c₀ + Σ c_k cos 3kt, so that the length up to t is c₀t + Σ c_k sin(3kt)/(3k).
func onRing(angles []float64) *mat.Dense {
	var c [knotTerms]float64
	const points = 4 * knotTerms // the sum over equal steps is the integral, but for the terms left out
	for j := range points {
		a := 2 * math.Pi * float64(j) / points // 3t
		speed := knotSpeed(a / 3)
		for k := range c {
			c[k] += 2 * speed * math.Cos(float64(k)*a) / points
		}
	}
	c[0] /= 2
	ring := mat.NewDense(len(angles), 2, nil)
	for i, t := range angles {
		phi := t
		for k := 1; k < knotTerms; k++ {
			phi += c[k] / c[0] * math.Sin(float64(3*k)*t) / float64(3*k)
		}
		sin, cos := math.Sincos(phi)
		ring.SetRow(i, []float64{cos, sin})
	}
	return ring
}

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
