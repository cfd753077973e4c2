package golden

import (
	"math"
	"testing"
)

func TestClose(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want, tol float64
		close          bool
	}{
		{1e-13, 0, 1e-12, true}, // absolute below 1
		{2e-12, 0, 1e-12, false},
		{1e6 + 1e-7, 1e6, 1e-12, true}, // relative above
		{1e6 + 1e-5, 1e6, 1e-12, false},
		{3, 3, 0, true},
		{inf, inf, 1, true},
		{-inf, inf, 1, false},
		{5, inf, 1, false},
		{inf, 5, 1, false},
		{nan, nan, 1, false},
		{nan, 0, 1, false},
	} {
		if got := Close(c.got, c.want, c.tol); got != c.close {
			t.Errorf("Close(%v, %v, %v) = %v", c.got, c.want, c.tol, got)
		}
	}
}
