package blas

import (
	"math"
	"testing"
)

// CPUs that do not fuse run the generic code in two roundings.
func TestWithoutFMA(t *testing.T) {
	set, fused := kernel, hasFMA
	defer func() { kernel, hasFMA = set, fused }()
	kernel, hasFMA = &genericSet, false
	k := MustSelect("native")
	for _, s := range [][3]int{{1, 1, 1}, {5, 7, 9}, {40, 33, sumBlock + 5}} {
		for mode := range 4 {
			checkGemm(t, k, mode&1 == 1, mode&2 == 2, s[0], s[1], s[2])
		}
	}
	x, y := random(100, 1), random(100, 2)
	var dot, square float64
	for i, v := range x {
		dot += v * y[i]
		square += (v - y[i]) * (v - y[i])
	}
	if math.Abs(Dot(x, y)-dot) > 1e-13*square || math.Abs(SquaredDistance(x, y)-square) > 1e-13*square {
		t.Errorf("dot %g, want %g; squared distance %g, want %g", Dot(x, y), dot, SquaredDistance(x, y), square)
	}
	if Exp(x, x); math.Abs(x[0]-math.Exp(random(100, 1)[0])) > 1e-15*x[0] {
		t.Errorf("exp = %g", x[0])
	}
	if name := MustSelect("auto").Name(); name == "native" {
		t.Error("auto takes products from native without fused instructions")
	}
}
