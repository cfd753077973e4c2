package main

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

func TestPlotPNG(t *testing.T) {
	inFolder(t, "300")
	write(t, "classes.csv", strings.Repeat("4\n-1\n9\n", 100))
	for _, c := range []struct{ name, flags string }{
		{"one colour", "--dim 2"},
		{"one coordinate", "--dim 1"},
		{"one coordinate by value", "--dim 1 --color t.npy --color-column 2"},
		{"one coordinate by class", "--dim 1 --labels classes.csv"},
		{"three coordinates by class", "--dim 3 --labels classes.csv"},
		{"by value", "--color t.npy"},
	} {
		must(t, append(strings.Fields("embed --method pca --in x.npy --plot p.png -q"), strings.Fields(c.flags)...)...)
		picture, err := png.Decode(bytes.NewReader(read(t, "p.png")))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if size := picture.Bounds().Size(); size.X != 1200 || size.Y != 900 {
			t.Errorf("%s: %d × %d pixels", c.name, size.X, size.Y)
		}
		colors, colored := map[[3]uint8]bool{}, 0
		for y := range 900 {
			for x := range 1200 {
				r, g, b, _ := picture.At(x, y).RGBA()
				// The axes and words are close to grey; points are not.
				if high, low := max(r, g, b)>>8, min(r, g, b)>>8; high-low > 60 {
					colored++
					colors[[3]uint8{uint8(r >> 13), uint8(g >> 13), uint8(b >> 13)}] = true
				}
			}
		}
		// 300 points of a radius of 3 pt or 6 pixels cover some 30000 pixels, less
		// what lies one on the other.
		if colored < 5000 || colored > 60000 {
			t.Errorf("%s: %d coloured pixels", c.name, colored)
		}
		if many := strings.Contains(c.name, "by"); many && len(colors) < 6 {
			t.Errorf("%s: only %d hues", c.name, len(colors))
		}
	}
}

func TestPlotSVG(t *testing.T) {
	inFolder(t, "100")
	write(t, "classes.csv", strings.Repeat("0\n1\n", 50))
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--plot", "p.SVG", "--labels", "classes.csv", "-q")
	text := string(read(t, "p.SVG"))
	for _, word := range []string{"<svg", "</svg>", ">pca  ·  100 samples<", ">coordinate 2<", "sans-serif"} {
		if !strings.Contains(text, word) {
			t.Errorf("the picture lacks %q", word)
		}
	}
	// A fill for each point, a dot for each class, and the background.
	if fills := strings.Count(text, "<path") - strings.Count(text, "stroke:"); fills != 103 {
		t.Errorf("%d filled shapes, want 103", fills)
	}
	if strings.Contains(text, "NaN") {
		t.Error("the picture holds NaN")
	}
}

func TestPlotLeavesOutRowsWithoutCoordinates(t *testing.T) {
	inFolder(t, "")
	twoClouds(t)
	must(t, "embed", "--method", "le", "--in", "clouds.csv", "--plot", "p.svg", "--set", "components=largest", "-q")
	text := string(read(t, "p.svg"))
	if fills := strings.Count(text, "<path") - strings.Count(text, "stroke:"); fills != 61 {
		t.Errorf("%d filled shapes, want 60 and the background", fills)
	}
}

func TestRampRisesEvenlyInLightness(t *testing.T) {
	const steps = 100
	luminance := func(x float64) float64 {
		c := ramp(x)
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
	few := colorByLabels([]int64{5, -2, 5, 7})
	if few.classes == nil || strings.Join(few.names, " ") != "-2 5 7" || few.of(0) != few.of(2) || few.of(0) == few.of(1) {
		t.Errorf("three classes: %+v", few)
	}
	var labels []int64
	for i := range 13 {
		labels = append(labels, int64(i))
	}
	if many := colorByLabels(labels); many.classes != nil || many.low != 0 || many.high != 12 {
		t.Errorf("thirteen labels: %+v", many)
	}
	if constant := colorByValues([]float64{3, 3}); constant.of(0) != constant.of(1) || keyWidth(constant) != 0 {
		t.Error("constant values have a key")
	}
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.041, 0.061, "−0.04 −0.02 0 0.02 0.04 0.06"},
		{0, 20000, "0 5000 10000 15000 20000"},
		{-1000, 4000, "−1000 0 1000 2000 3000 4000"},
		{1.00001, 1.00005, "1.00001 1.00002 1.00003 1.00004 1.00005"},
		{-1e-9, 3e-9, "−1e−09 0 1e−09 2e−09 3e−09"},
		{5, 5, "5"},
	} {
		var labels []string
		for _, tick := range roundTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	if n := len(roundTicks(-math.MaxFloat64, math.MaxFloat64)); n > 12 {
		t.Errorf("%d ticks over all numbers", n)
	}
}
