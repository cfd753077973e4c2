package engine

import (
	"math"
	"testing"
)

// The triple peak, which bends sharply at its ridges: with weights for the
// curvature LTSA loses more than half of its error (Zhang, Wang and Zha 2012).
func TestCurvatureOnTheTriplePeak(t *testing.T) {
	s := generate(t, "triple-peak", 0, 1)
	plain := deviation(t, s, LTSA{Neighbors: 15})
	for delta, want := range map[float64]float64{1e-3: 0.086, 1e-2: 0.068, 0.1: 0.117} {
		if dev := deviation(t, s, LTSACurvature{Neighbors: 15, Delta: delta}); math.Abs(dev-want) > 1e-3 || dev > 0.8*plain {
			t.Errorf("δ = %g: dev %g, want %g; of plain LTSA %g", delta, dev, want, plain)
		}
	}
}
