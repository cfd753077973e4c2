package magnitude

import (
	"math"
	"testing"
)

func TestExponent(t *testing.T) {
	for _, v := range []float64{0, 1, 0x1p-20, 0x1p100, 3e5} {
		if e := Exponent(v); e != 0 {
			t.Errorf("%g is of ordinary size and is scaled by 2^%d", v, e)
		}
	}
	for _, v := range []float64{math.SmallestNonzeroFloat64, 1e-308, 1e-200, 0x1p-21, 0x1.8p100, 1e154, 1e200, math.MaxFloat64} {
		e := Exponent(v)
		if scaled := Times(v, -e); e%2 != 0 || scaled < 0.5 || scaled >= 2 {
			t.Errorf("%g over 2^%d is %g", v, e, scaled)
		}
	}
}

// A product of two powers would round a subnormal number twice.
func TestTimesRoundsOnce(t *testing.T) {
	for _, v := range []float64{1, -1.5, 0x1.fffffffffffffp0, 0x1.0000000000003p3, math.MaxFloat64} {
		for _, e := range []int{-2000, -1074, -1073, -1060, -1022, -1000, 0, 5, 1000, 1023, 1024, 2000} {
			if got, want := Times(v, e), math.Ldexp(v, e); got != want {
				t.Errorf("%g · 2^%d is %g, want %g", v, e, got, want)
			}
		}
	}
}

func TestLargest(t *testing.T) {
	if at, v := Largest([]float64{1, -3, 3}); at != 1 || v != 3 {
		t.Error(at, v)
	}
	if at, _ := Largest([]float64{0, 0}); at != -1 {
		t.Error(at)
	}
}
