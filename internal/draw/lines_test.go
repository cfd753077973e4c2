package draw

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// wellFormed reads the whole of an SVG.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in %.200s", err, text)
		}
	}
}

func TestLines(t *testing.T) {
	l := &Lines{XLabel: "N < M", YLabel: "seconds", LogX: true, LogY: true, Curves: []Curve{
		{Name: "lle & co", X: []float64{10, 100, 1000, 10000}, Y: []float64{1, 0, math.NaN(), 100}, Links: []string{"#a", "#b", "#c", "#d"}},
		{Name: "le", X: []float64{10, 10000}, Y: []float64{2, 99}},
		{Name: "lle & co, paper", X: []float64{10, 10000}, Y: []float64{2, 98}, Dashed: true},
	}}
	if c := l.ColorOf(); c[0] != 0 || c[1] != 1 || c[2] != 0 {
		t.Errorf("colours %v: a paper's curve has that of ours", c)
	}
	for _, size := range [][2]int{{780, 420}, {360, 330}} {
		text := l.SVG(size[0], size[1], true)
		wellFormed(t, text)
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Error("the plot holds numbers that are not finite")
		}
		if strings.Count(text, `<a href="#`) != 2 || !strings.Contains(text, "lle &amp; co") || !strings.Contains(text, "N &lt; M") {
			t.Errorf("links or names: %s", text)
		}
		// Both middle points are not to be drawn, so that no line joins the others.
		if !regexp.MustCompile(`d="M[\d.]+ [\d.]+M[\d.]+ [\d.]+"`).MatchString(text) {
			t.Error("a gap in a curve is bridged")
		}
		// The names keep their distance and stay inside.
		var at []float64
		for _, m := range regexp.MustCompile(`class="label" x="[\d.]+" y="([\d.]+)"`).FindAllStringSubmatch(text, -1) {
			y, _ := strconv.ParseFloat(m[1], 64)
			at = append(at, y)
		}
		if len(at) != 3 || at[1]-at[0] < leading-0.11 || at[2]-at[1] < leading-0.11 || at[2] > float64(size[1]) {
			t.Errorf("names at %v", at)
		}
	}
	for _, empty := range []*Lines{{}, {LogY: true, Curves: []Curve{{X: []float64{1}, Y: []float64{-1}}}}} {
		if text := empty.SVG(100, 100, true); text != "" {
			t.Errorf("a plot without points: %s", text)
		}
	}
	one := &Lines{Curves: []Curve{{Name: "one", X: []float64{3}, Y: []float64{0}}}}
	if text := one.SVG(400, 300, true); strings.Contains(text, "NaN") || text == "" {
		t.Errorf("a plot of one point: %s", text)
	}
}

func TestScatter(t *testing.T) {
	points := mat.NewDense(5, 2, []float64{0, 0, 1, 1, 2, math.NaN(), math.MaxFloat64, -math.MaxFloat64, 3, 3})
	s := &Scatter{Points: points, Colors: ByLabels([]int64{1, 2, 1, 2, 1})}
	text := s.SVG(360, 270)
	wellFormed(t, text)
	if n := strings.Count(text, "h0"); n != 4 || strings.Contains(text, "NaN") || strings.Count(text, "<path") != 2 {
		t.Errorf("%d of 4 points: %s", n, text)
	}
	picture := must.Get(s.PNG(72, 54))(t)
	im, err := png.Decode(bytes.NewReader(picture))
	if err != nil || im.Bounds().Dx() != 72 || im.Bounds().Dy() != 54 {
		t.Fatalf("the picture: %v, %v", err, im)
	}
	painted := 0
	for y := range 54 {
		for x := range 72 {
			if _, _, _, a := im.At(x, y).RGBA(); a > 0 {
				painted++
			}
		}
	}
	if painted == 0 || painted > 72*54/4 {
		t.Errorf("%d pixels are painted", painted)
	}
	lost := &Scatter{Points: mat.NewDense(1, 2, []float64{math.NaN(), 1})}
	if _, err := lost.PNG(10, 10); err == nil || lost.SVG(10, 10) != "" {
		t.Error("points that are not finite were drawn")
	}
}

// Positions on a closed curve have the colours of the wheel in an SVG, too: where it is
// closed, both ends have one colour, and opposite places differ.
func TestCyclicScatter(t *testing.T) {
	c := ByValues([]float64{0, 1, 2, 3, 4})
	c.Cyclic = true
	text := (&Scatter{Points: mat.NewDense(5, 2, []float64{0, 0, 1, 0, 1, 1, 0, 1, 0, 0.1}), Colors: c}).SVG(100, 100)
	for _, at := range []float64{0, 0.5} {
		if !strings.Contains(text, Hex(nearestShade(Wheel(at), true))) {
			t.Errorf("the colour %s is not in %s", Hex(Wheel(at)), text)
		}
	}
	if n := strings.Count(text, "<path"); n != 4 {
		t.Errorf("%d colours of four positions on a ring", n)
	}
}

// Of many curves no diagram has more than eight colours, none is lost, a dashed one stays with
// its solid one, and all have the same axes.
func TestPanels(t *testing.T) {
	l := &Lines{}
	for i := range 19 {
		name := string(rune('a' + i))
		l.Curves = append(l.Curves, Curve{Name: name, X: []float64{1, 2}, Y: []float64{float64(i), 2 * float64(i)}}, Curve{Name: name + ", paper", X: []float64{1, 2}, Y: []float64{1, 1}, Dashed: true})
	}
	panels, seen := l.Panels(8), 0
	if len(panels) != 3 {
		t.Fatalf("%d panels", len(panels))
	}
	for _, p := range panels {
		seen += len(p.Curves)
		colors := p.ColorOf()
		distinct := map[int]bool{}
		for i, c := range p.Curves {
			if distinct[colors[i]] = true; c.Dashed && colors[i] != colors[i-1] {
				t.Errorf("%s has another colour than its solid curve", c.Name)
			}
		}
		if len(distinct) > 8 || 2*len(distinct) != len(p.Curves) {
			t.Errorf("%d colours of %d curves", len(distinct), len(p.Curves))
		}
		if _, y, _ := p.axes(); y.high < 36 {
			t.Errorf("the axis of a panel ends at %g", y.high)
		}
	}
	if seen != 38 {
		t.Errorf("%d of 38 curves are drawn", seen)
	}
	if one := (&Lines{Curves: l.Curves[:16]}).Panels(8); len(one) != 1 {
		t.Errorf("eight curves are on %d panels", len(one))
	}
}

// What leads from a curve's end to its name stays outside of the diagram, where it cannot be
// taken for data.
func TestLeadersStayOutside(t *testing.T) {
	l := &Lines{Curves: []Curve{{Name: "short", X: []float64{0, 1}, Y: []float64{0, 1}}, {Name: "long", X: []float64{0, 10}, Y: []float64{0, 2}}}}
	text := l.SVG(780, 420, true)
	edge := regexp.MustCompile(`class="axis" d="M[\d.]+ [\d.]+H([\d.]+)"`).FindStringSubmatch(text)
	found := regexp.MustCompile(`class="leader" d="M([\d.]+) `).FindAllStringSubmatch(text, -1)
	if len(found) != 2 || edge == nil {
		t.Fatalf("leaders %v, axis %v", found, edge)
	}
	right, _ := strconv.ParseFloat(edge[1], 64)
	for _, m := range found {
		if x, _ := strconv.ParseFloat(m[1], 64); x <= right {
			t.Errorf("a leader begins at %g of an axis that ends at %g", x, right)
		}
	}
}
