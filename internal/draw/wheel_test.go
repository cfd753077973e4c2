package draw

import "testing"

// The ends of the wheel are one colour, opposite places are not, and no step is a leap.
func TestWheelCloses(t *testing.T) {
	if Wheel(0) != Wheel(1) {
		t.Errorf("the wheel begins with %v and ends with %v", Wheel(0), Wheel(1))
	}
	apart := func(a, b float64) int {
		p, q := Wheel(a), Wheel(b)
		square := func(x, y uint8) int { d := int(x) - int(y); return d * d }
		return square(p.R, q.R) + square(p.G, q.G) + square(p.B, q.B)
	}
	for i := range 100 {
		at := float64(i) / 100
		if d := apart(at, at+0.01); d == 0 || d > 24*24 {
			t.Errorf("a step of a hundredth at %g changes the colour by √%d", at, d)
		}
		if d := apart(at, at+0.5); d < 80*80 {
			t.Errorf("%g and its opposite are √%d apart", at, d)
		}
	}
}
