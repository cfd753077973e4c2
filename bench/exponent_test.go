package bench

import (
	"math"
	"testing"
)

func TestExponent(t *testing.T) {
	var x, y []float64
	for _, n := range []float64{1000, 2000, 4000, 8000} {
		x, y = append(x, n), append(y, 3*math.Pow(n, 1.5))
	}
	y[0] = 7 // far off, and not among the last three
	if e, ok := FitExponent(x, y, 3); !ok || math.Abs(e.Slope-1.5) > 1e-12 || e.Half > 1e-12 || e.Points != 3 {
		t.Errorf("the exponent is %v, want 1.5", e)
	}
	y[2] = math.NaN()
	if _, ok := FitExponent(x[1:], y[1:], 3); ok {
		t.Error("an exponent of two points")
	}
	if _, ok := FitExponent(x, y, 2); ok {
		t.Error("an exponent of two points, as asked for")
	}
}

// TestExponentsConfidence compares the interval with that of a fit by hand: logarithms
// 0, 1, 2, 3 with 0, 1.1, 1.9, 3.2 beside them have the slope 1.04, the squares 0.042 left
// over, and t = 4.3027 of two degrees of freedom.
func TestExponentsConfidence(t *testing.T) {
	var x, y []float64
	for i, v := range []float64{0, 1.1, 1.9, 3.2} {
		x, y = append(x, math.Exp(float64(i))), append(y, math.Exp(v))
	}
	e, ok := FitExponent(x, y, 4)
	if want := 4.302653 * math.Sqrt(0.042/2/5); !ok || math.Abs(e.Slope-1.04) > 1e-12 || math.Abs(e.Half-want) > 1e-5 {
		t.Errorf("%v, want 1.04 ± %.4f", e, want)
	}
	if e.String() != "1.04 ± 0.28 of 4 sizes" || math.Abs(e.High()-e.Slope-e.Half) > 1e-12 {
		t.Errorf("it reads %q", e)
	}
}
