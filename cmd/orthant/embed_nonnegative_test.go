package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"
)

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

// divergentData is nonnegative data of several groups in eight columns.
func divergentData() string {
	var b strings.Builder
	for i := range 120 {
		for j := range 8 {
			v := math.Abs(math.Sin(float64(i*(j+3)))) * 4
			if i%4 == j%4 {
				v += 6
			}
			fmt.Fprintf(&b, "%.6f", v)
			if j < 7 {
				b.WriteByte(',')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
