package draw

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// Edges are drawn once, below the points; those of points that are not drawn, and
// loops, are left out.
func TestScatterEdges(t *testing.T) {
	points := mat.NewDense(4, 2, []float64{0, 0, 1, 0, math.NaN(), 1, 1, 1})
	s := &Scatter{Points: points, Edges: [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, 2}, {3, 0}}}
	plain := (&Scatter{Points: points}).SVG(100, 100)
	svg := s.SVG(100, 100)
	if n := strings.Count(svg, "L"); n != 2 {
		t.Errorf("%d lines, want 2: %s", n, svg)
	}
	if lines, dots := strings.Index(svg, "L"), strings.Index(svg, "h0"); lines > dots || strings.Count(svg, "h0") != 3 || strings.Contains(plain, "L") {
		t.Errorf("lines lie above points, or points are missing: %s", svg)
	}
	left := must.Get((&Scatter{Points: points}).PNG(100, 100))(t)
	right := must.Get(s.PNG(100, 100))(t)
	// The middle of the edge from 0 to 1, at the lower end of the page, and of that from
	// 0 to 3 in the middle.
	a := must.Get(png.Decode(bytes.NewReader(left)))(t)
	b := must.Get(png.Decode(bytes.NewReader(right)))(t)
	inked := 0
	for y := range 100 {
		_, _, _, before := a.At(50, y).RGBA()
		_, _, _, after := b.At(50, y).RGBA()
		if before > 0 {
			t.Errorf("a point at (50, %d)", y)
		}
		if after > 0 {
			inked++
		}
	}
	if inked < 2 || inked > 10 {
		t.Errorf("%d pixels of the middle column are drawn on, want those of two thin lines", inked)
	}
}
