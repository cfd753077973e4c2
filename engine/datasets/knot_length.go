package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

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
