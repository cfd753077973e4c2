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
	for _, word := range []string{"<svg", "</svg>", ">pca  ·  100 samples<", ">PC2, 33 %<", "sans-serif"} {
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

// The picture of an iterative method has a second panel with its objective.
func TestPlotOfIterations(t *testing.T) {
	inFolder(t, "300")
	must(t, strings.Fields("embed --method nle --in x.npy --iterations 60 --plot p.png --color t.npy -q")...)
	picture, err := png.Decode(bytes.NewReader(read(t, "p.png")))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 1960 || size.Y != 900 {
		t.Fatalf("%d × %d pixels", size.X, size.Y)
	}
	// The curve falls from the top left of its panel to its bottom right.
	height := func(from, to int) float64 {
		var sum, count float64
		for x := from; x < to; x++ {
			for y := 80; y < 820; y++ {
				r, g, b, _ := picture.At(x, y).RGBA()
				if b>>8 > 140 && r>>8 < 120 && g>>8 < 160 {
					sum, count = sum+float64(y), count+1
				}
			}
		}
		return sum / count
	}
	left, right := height(1285, 1330), height(1850, 1910)
	if math.IsNaN(left) || math.IsNaN(right) || left > right-100 {
		t.Errorf("the curve is at pixel row %g on the left and %g on the right", left, right)
	}
}
