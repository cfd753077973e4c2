package bench

import (
	"math"
	"testing"
)

func TestUTestKnownValues(t *testing.T) {
	// Without ties the count of arrangements with a rank sum at most the one seen,
	// over C(n+m, n), twice: the tables of Mann and Whitney.
	for _, c := range []struct {
		name string
		x, y []float64
		want float64
	}{
		{"3 and 3, apart", []float64{1, 2, 3}, []float64{4, 5, 6}, 2.0 / 20},
		{"4 and 4, apart", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{"5 and 5, U = 0", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"5 and 5, U = 1", []float64{1, 2, 3, 4, 6}, []float64{5, 7, 8, 9, 10}, 4.0 / 252},
		{"5 and 5, U = 2", []float64{1, 2, 3, 4, 7}, []float64{5, 6, 8, 9, 10}, 8.0 / 252},
		{"5 and 5, U = 3", []float64{1, 2, 3, 4, 8}, []float64{5, 6, 7, 9, 10}, 14.0 / 252},
		{"2 and 5, U = 0", []float64{1, 2}, []float64{6, 7, 8, 9, 10}, 2.0 / 21},
		{"one of each", []float64{1}, []float64{2}, 1},
		{"equal", []float64{3, 3, 3, 3}, []float64{3, 3, 3, 3}, 1},
		// With ties, by hand: of the 6 choices of two of the ranks 1, 2½, 2½, 4 two have
		// the sum 3½, and none has less.
		{"ties", []float64{1, 2}, []float64{2, 3}, 2 * 2.0 / 6},
	} {
		if got := UTest(c.x, c.y); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%s: p = %v, want %v", c.name, got, c.want)
		}
		if a, b := UTest(c.x, c.y), UTest(c.y, c.x); a != b {
			t.Errorf("%s: p is %v one way and %v the other", c.name, a, b)
		}
	}
	if p := UTest(nil, []float64{1}); !math.IsNaN(p) {
		t.Errorf("p of nothing is %v", p)
	}
}

func TestUTestApproximationMeetsExact(t *testing.T) {
	// 30 and 30 values are counted, 31 and 30 approximated: on nearly the same
	// values the two must nearly agree: to about 1/n of p, here 3 %.
	var x, y []float64
	for i := range 30 {
		x, y = append(x, float64(i)), append(y, float64(i)+5.5)
	}
	exact := UTest(x, y)
	ranks := doubledRanks(append(append([]float64{}, x...), y...))
	sum := 0
	for _, r := range ranks[:30] {
		sum += r
	}
	if near := normalP(ranks, 30, 30, sum); math.Abs(near-exact) > 0.05*exact {
		t.Errorf("p is %v by counting and %v by approximation", exact, near)
	}
	if p := UTest(append(x, 15), y); !(p > 0 && p < 0.1) {
		t.Errorf("p of 61 values is %v", p)
	}
}

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
// 0, 1, 2, 3 with 0, 1.1, 1.9, 3.2 as values have the slope 1.04, the squares 0.042 left
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
