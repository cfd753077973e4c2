package quality

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestParticipations(t *testing.T) {
	y := mat.NewDense(400, 3, nil)
	for i := range 400 {
		y.SetRow(i, []float64{float64(1 - 2*(i%2)), 0, float64(i - 200)})
		if i < 3 {
			y.Set(i, 1, 1)
		}
	}
	got := participations(y)
	// Even squares: all; three samples: 3/400; a ramp: 5/9 (Σi²)²/(nΣi⁴).
	for j, want := range []float64{1, 3.0 / 400, 5.0 / 9} {
		if math.Abs(got[j]-want) > 1e-4 {
			t.Errorf("coordinate %d: %g, want %g", j, got[j], want)
		}
	}
	q := Scores{Participation: got}
	if j := q.FewSamples(400); j != 1 {
		t.Errorf("the coordinate of few samples is %d, want 1", j)
	}
	if j := q.FewSamples(MinParticipants - 1); j != -1 {
		t.Errorf("of 63 samples coordinate %d is said to be one of few", j)
	}
	if i, share := Largest(y, 2); i != 0 || math.Abs(share-200*200/5333400.0) > 1e-9 {
		t.Errorf("sample %d has %g of the squares", i, share)
	}
}

func TestDependent(t *testing.T) {
	y := mat.NewDense(500, 3, nil)
	for i := range 500 {
		a, b := math.Mod(float64(i)*0.618, 1), math.Mod(float64(i)*0.414, 1)
		y.SetRow(i, []float64{a, b, math.Cos(3 * b)})
	}
	if d := Dependent(y); d == nil || d.Coordinate != 2 || d.On != 1 || d.Left > 0.01 {
		t.Errorf("%+v", d)
	}
	if d := Dependent(y.Slice(0, 500, 0, 2).(*mat.Dense)); d != nil {
		t.Errorf("%+v", d)
	}
}
