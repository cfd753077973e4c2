package picture

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/must"
)

// grains are n samples of d coordinates.
func grains(n, d int) *mat.Dense {
	y := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			y.Set(i, j, math.Sin(float64(i*(j+2)+j)))
		}
	}
	return y
}

// Each format begins as its readers expect, and the same picture is the same file.
func TestFormats(t *testing.T) {
	begins := map[string]string{".png": "\x89PNG", ".svg": "<?xml", ".pdf": "%PDF"}
	for _, format := range Formats {
		for d := 1; d <= 6; d++ {
			page := &Page{Title: "a title", Panels: []Panel{&Scatter{Y: grains(40, d)}, &Curve{XLabel: "x", YLabel: "y", Y: []float64{3, 2, 1}, Width: 300}}}
			var first, second bytes.Buffer
			must.Do(t, page.Write(&first, format))
			if err := page.Write(&second, format); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s of %d coordinates differs from itself (%v)", format, d, err)
			}
			if !strings.HasPrefix(first.String(), begins[format]) {
				t.Errorf("%s begins with %q", format, first.String()[:8])
			}
		}
	}
}

// Three coordinates are a space and more are pairs: every one of them is named.
func TestCoordinatesAreNamed(t *testing.T) {
	for d, want := range map[int]int{2: 2, 3: 3, 4: 4, 6: maxPaired} {
		var text bytes.Buffer
		must.Do(t, (&Page{Panels: []Panel{&Scatter{Y: grains(30, d)}}}).Write(&text, ".svg"))
		for j := range want {
			if !strings.Contains(text.String(), (&Scatter{}).axisName(j)) {
				t.Errorf("of %d coordinates number %d has no name", d, j+1)
			}
		}
		if left := strings.Contains(text.String(), "the first 5 of 6"); left != (d == 6) {
			t.Errorf("of %d coordinates: says that some are left out: %v", d, left)
		}
	}
}

// Samples are drawn in one shuffled order that leaves none out.
func TestOrder(t *testing.T) {
	s := &Scatter{Y: grains(100, 2)}
	s.Y.Set(7, 1, math.NaN())
	order := s.order()
	if slices.IsSorted(order) || !slices.Equal(order, s.order()) {
		t.Error("the order is not shuffled, or not by a fixed seed")
	}
	slices.Sort(order)
	if len(order) != 99 || slices.Contains(order, 7) || len(slices.Compact(order)) != 99 || s.Points() != 99 {
		t.Errorf("%d samples are drawn of 99", len(order))
	}
	if err := (&Scatter{Y: mat.NewDense(1, 2, []float64{math.NaN(), 0})}).check(); err == nil {
		t.Error("a picture of nothing")
	}
}

// A unit is as long on both axes where coordinates are lengths, and the points stay inside.
func TestEqualScales(t *testing.T) {
	s := &Scatter{Y: mat.NewDense(2, 2, []float64{-50, -1, 50, 1})}
	axes := newAxes("x", "y")
	axes.Add(plane{s, 0, 1})
	c := vgdraw.New(vgimg.New(panelWidth, panelHeight))
	for range 2 {
		equalise(axes, axes.DataCanvas(c))
	}
	data := axes.DataCanvas(c)
	x := (axes.X.Max - axes.X.Min) / float64(data.Max.X-data.Min.X)
	y := (axes.Y.Max - axes.Y.Min) / float64(data.Max.Y-data.Min.Y)
	if math.Abs(x/y-1) > 0.02 || axes.X.Min > -50 || axes.X.Max < 50 {
		t.Errorf("a point of the page is %g on one axis and %g on the other", x, y)
	}
}

// No two of the classes that are named share their colour and their shape.
func TestClasses(t *testing.T) {
	var labels []int64
	for i := range 2 * MaxNamed {
		labels = append(labels, int64(i%MaxNamed))
	}
	c := ByClasses(labels, nil)
	if len(c.Names) != MaxNamed || len(keyEntries(c)) != MaxNamed {
		t.Fatalf("%d names", len(c.Names))
	}
	type look struct {
		color any
		shape int
	}
	seen := map[look]bool{}
	for i := range MaxNamed {
		seen[look{c.Of(i), shapeOf(c.Classes[i])}] = true
	}
	if len(seen) != MaxNamed {
		t.Errorf("%d looks of %d classes", len(seen), MaxNamed)
	}
	many := make([]int64, 200)
	for i := range many {
		many[i] = int64(i)
	}
	if ByClasses(many, nil).Classes != nil {
		t.Error("200 labels of 200 samples are classes")
	}
	if named := ByClasses([]int64{2, 0, 2}, []string{"setosa", "none", "virginica"}); !slices.Equal(named.Names, []string{"setosa", "virginica"}) || named.Of(0) != named.Of(2) || named.Of(0) == named.Of(1) {
		t.Errorf("the names of the classes are %q", named.Names)
	}
	if width := keyWidth(draw.ByValues([]float64{3, 3})); width != vg.Length(0) {
		t.Errorf("the key of constant values is %v wide", width)
	}
}
