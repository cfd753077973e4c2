package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawUnits writes samples of which the columns are in very different units, and the same at
// mean 0 and standard deviation 1.
func drawUnits(t *testing.T, n int) {
	t.Helper()
	x, z := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for j, size := range []float64{0.01, 2, 500} {
		var mean, variance float64
		for i := range n {
			v := size * (3 + math.Sin(float64(i*(j+2))) + 0.5*float64(i%3))
			x.Set(i, j, v)
			mean += v / float64(n)
		}
		for i := range n {
			variance += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(n)
		}
		for i := range n {
			z.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(variance))
		}
	}
	save(t, "x.npy", x)
	save(t, "z.npy", z)
}
