package solvers

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// probes are powers of two by which a vector is multiplied to see the size of an operator that may be beyond the squares
// of floating-point numbers.
var probes = [...]int{0, -600, 600}

// powerOfProducts is the power of two by which an operator is divided so that squares of its products are numbers: 0 unless they
// are far from 1. One product, or up to three where they are far.
func powerOfProducts(rows, cols int, seed uint64, multiply func(width int, x, y []float64)) int {
	v, x, y := make([]float64, cols), make([]float64, cols), make([]float64, rows)
	blas.NewStream(seed).Normals(v)
	for _, at := range probes {
		for i, t := range v {
			x[i] = ldexp(t, at)
		}
		multiply(1, x, y)
		size := 0.0
		for _, t := range y {
			if size = max(size, math.Abs(t)); math.IsNaN(size) {
				break
			}
		}
		if size < 0x1p-900 || math.IsInf(size, 0) || math.IsNaN(size) {
			continue
		}
		_, power := math.Frexp(size)
		if power -= at; power > farPower || power < -farPower {
			return power
		}
		return 0
	}
	return 0
}

// divided multiplies with an operator over 2^power: half of it is taken from what goes in, and the other half from what comes out.
func divided(multiply func(width int, x, y []float64), power int) func(width int, x, y []float64) {
	var scaled []float64
	return func(width int, x, y []float64) {
		scaled = grown(scaled, len(x))
		in := math.Ldexp(1, -power/2)
		for i, t := range x {
			scaled[i] = t * in
		}
		multiply(width, scaled, y)
		blas.Scale(math.Ldexp(1, power/2-power), y)
	}
}
