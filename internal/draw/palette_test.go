package draw

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestRampRisesEvenlyInLightness(t *testing.T) {
	const steps = 100
	luminance := func(x float64) float64 {
		c := Ramp(x)
		linear := func(v uint8) float64 {
			if s := float64(v) / 255; s > 0.04045 {
				return math.Pow((s+0.055)/1.055, 2.4)
			}
			return float64(v) / 255 / 12.92
		}
		y := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
		return 116*math.Cbrt(y) - 16 // CIE L*, but for the darkest tones
	}
	for i := range steps {
		// L* rises from about 10 to about 90: 0.8 a step, were OKLab's lightness and
		// CIE's the same, which they are to a factor of two for saturated colours.
		if rise := luminance(float64(i+1)/steps) - luminance(float64(i)/steps); rise <= 0 || rise > 2 {
			t.Errorf("step %d: lightness rises by %g", i, rise)
		}
	}
	if low, high := luminance(0), luminance(1); low > 20 || high < 85 {
		t.Errorf("lightness goes from %g to %g", low, high)
	}
}

func TestColorsOfLabels(t *testing.T) {
	if c := ByLabels([]int64{-1, 0, 3}); c.Names[0] != "noise" || !c.Gap(0) || c.Gap(1) || c.Style(1) != 0 {
		t.Errorf("noise: %+v", c)
	}
	if c := ByLabels([]int64{-1, 1, -1}); c.Names[0] != "-1" || c.Gap(0) {
		t.Errorf("two classes: %+v", c)
	}
	few := ByLabels([]int64{5, -2, 5, 7})
	if few.Classes == nil || strings.Join(few.Names, " ") != "-2 5 7" || few.Of(0) != few.Of(2) || few.Of(0) == few.Of(1) {
		t.Errorf("three classes: %+v", few)
	}
	var labels []int64
	for i := range 13 {
		labels = append(labels, int64(i))
	}
	if many := ByLabels(labels); many.Classes != nil || many.Low != 0 || many.High != 12 {
		t.Errorf("thirteen labels: %+v", many)
	}
	if constant := ByValues([]float64{3, 3}); constant.Of(0) != constant.Of(1) {
		t.Error("constant values have two colours")
	}
}

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

// Classes take the styles of the classes that they share most samples with, no style twice; noise stays noise.
func TestStyleLike(t *testing.T) {
	first := &Coloring{Classes: []int{0, 0, 0, 1, 1, 2, 2, 2, 3}, Names: []string{"a", "b", "c", "noise"}, Styles: []int{5, 1, 2, NoClass}}
	second := &Coloring{Classes: []int{1, 1, 1, 0, 2, 2, 3, 3, 4}, Names: []string{"0", "1", "2", "3", "4"}, Styles: []int{0, 1, NoClass, 3, 4}}
	second.StyleLike(first)
	if want := []int{1, 5, NoClass, 2, 0}; !slices.Equal(second.Styles, want) {
		t.Errorf("styles %v, want %v", second.Styles, want)
	}
	values := ByValues([]float64{1, 2})
	values.StyleLike(first)
	if values.Styles != nil {
		t.Error("values have styles of classes")
	}
}
