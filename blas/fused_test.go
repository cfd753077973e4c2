package blas

import (
	"math"
	"testing"
)

// The sums that replace the instruction in browsers have its bits: for numbers of all sizes, for sums that cancel to
// the last bits, and for those that are halfway between two numbers.
func TestFusedBySums(t *testing.T) {
	s := NewStream(3)
	number := func() float64 {
		switch s.Below(16) {
		case 0:
			return []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), math.MaxFloat64, 5e-324, 1, -3}[s.Below(8)]
		case 1:
			return math.Ldexp(s.Uniform()-.5, s.Below(2040)-1060)
		case 2:
			return float64(s.Below(1000) - 500)
		}
		return math.Ldexp(s.Uniform()-.5, s.Below(60)-30)
	}
	const ulp = 0x1p-52
	for range 500000 {
		x, y, z := number(), number(), number()
		switch s.Below(6) {
		case 0:
			z = -float64(x*y) * (1 + ulp*float64(s.Below(5)-2))
		case 1: // halfway: the product is an odd multiple of half a unit of the sum
			x, y, z = float64(1+2*s.Below(8))*ulp/2, 1+ulp*float64(s.Below(3)), 1+ulp*float64(s.Below(4))
		}
		got, want := fusedBySums(x, y, z), math.FMA(x, y, z)
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%x·%x + %x is %x, want %x", x, y, z, got, want)
		}
	}
}
