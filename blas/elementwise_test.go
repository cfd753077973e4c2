package blas

import (
	"math"
	"testing"
)

// The kernels give the bits of the generic code at every length and offset, in
// place too.
func TestElementwiseKernels(t *testing.T) {
	if !Vectorized() {
		t.Skip("no vector instructions here: there is nothing to compare")
	}
	random := NewStream(5)
	draw := func(n int) []float64 {
		x := make([]float64, n)
		random.Normals(x)
		for i := range x {
			switch random.Below(12) {
			case 0:
				x[i] = 0
			case 1:
				x[i] = 1e-200
			case 2:
				x[i] = math.NaN()
			}
		}
		return x
	}
	same := func(name string, n int, got, want []float64) {
		t.Helper()
		for i, v := range want {
			if math.Float64bits(got[i]) != math.Float64bits(v) && !(got[i] != got[i] && v != v) {
				t.Fatalf("%s, n = %d: entry %d is %v, want %v", name, n, i, got[i], v)
			}
		}
	}
	weights := []float64{0}
	if GaussWeights(1, []float64{2}, []float64{5}, weights, make([]float64, 1), make([]float64, 1)); math.Abs(weights[0]-math.Exp(-9)) > 1e-19 {
		t.Errorf("e⁻⁹ as a weight is %v", weights[0])
	}
	set := kernel
	defer func() { kernel = set }()
	both := func(f func(out []float64), n int) (generic, vector []float64) {
		generic, vector = make([]float64, n), make([]float64, n)
		kernel = &genericSet
		f(generic)
		kernel = set
		f(vector)
		return generic, vector
	}
	for n := range 300 {
		x, s, p := draw(n), draw(n), draw(n)
		weights := func(out []float64) { GaussWeights(0.7, x, s, out[:n], out[n:2*n], out[2*n:]) }
		want, got := both(weights, 3*n)
		same("GaussWeights", n, got, want)
		want, got = both(func(out []float64) {
			copy(out, s)
			GaussWeights(1e9, x, out[:n], out[:n], out[n:2*n], out[2*n:])
		}, 3*n)
		same("GaussWeights in place", n, got, want)
		want, got = both(func(out []float64) { Quotients(out, 1e-16, x, s) }, n)
		same("Quotients", n, got, want)
		want, got = both(func(out []float64) { Roots(out, 1e-16, s) }, n)
		same("Roots", n, got, want)
		want, got = both(func(out []float64) { Multiply(out, x, s) }, n)
		same("Multiply", n, got, want)
		want, got = both(func(out []float64) { copy(out, s); Multiply(out, x, out) }, n)
		same("Multiply in place", n, got, want)
		want, got = both(func(out []float64) { copy(out, s); Quotients(out, 1e-16, x, out) }, n)
		same("Quotients in place", n, got, want)
		want, got = both(func(out []float64) { copy(out, p); MultiplyRatios(out, 1e-16, 1e-150, x, s) }, n)
		same("MultiplyRatios", n, got, want)
		want, got = both(func(out []float64) { Weigh(p, x, s, out[:n], out[n:]) }, 2*n)
		same("Weigh", n, got, want)
		want, got = both(func(out []float64) { copy(out, s); Weigh(p, x, out[:n], out[n:], out[:n]) }, 2*n)
		same("Weigh in place", n, got, want)
	}
}
