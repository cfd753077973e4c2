package picture

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/must"
)

// Digits within names are numbers, wherever they stand.
func TestNaturalOrder(t *testing.T) {
	want := []string{"", "1", "2", "010", "10", "B", "a", "a1", "a2", "a2b", "a2b3", "a2b12", "a10", "a010b", "b", "week 9", "week 10", "ä"}
	list := slices.Clone(want)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortFunc(list, natural)
	if !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
	for _, a := range want {
		for _, b := range want {
			if natural(a, b) != -natural(b, a) || (natural(a, b) == 0) != (a == b) {
				t.Errorf("%q and %q have no order", a, b)
			}
		}
	}
}

// Classes with names are in their natural order, and samples keep their classes.
func TestClassesInNaturalOrder(t *testing.T) {
	c := ByClasses([]int64{0, 1, 2, 1}, []string{"c1", "c10", "c2"})
	if !slices.Equal(c.Names, []string{"c1", "c2", "c10"}) || !slices.Equal(c.Classes, []int{0, 2, 1, 2}) {
		t.Errorf("%q, %v", c.Names, c.Classes)
	}
	if c := ByClasses([]int64{10, -1, 2}, nil); !slices.Equal(c.Names, []string{"noise", "2", "10"}) || !slices.Equal(c.Classes, []int{2, 0, 1}) || !c.Gap(1) || c.Gap(0) {
		t.Errorf("%q, %v", c.Names, c.Classes)
	}
}

// Every class has a style of its own while there are enough. Numbers keep theirs where others are
// absent, and so do most words.
func TestColoursStayWithAClass(t *testing.T) {
	numbers := stylesOf([]string{"1", "2", "3", "10", "11"})
	if !slices.Equal(numbers, []int{1, 2, 3, 10, 11}) || !slices.Equal(stylesOf([]string{"2", "10"}), []int{2, 10}) {
		t.Errorf("numbers have the styles %v", numbers)
	}
	names := strings.Fields("B Mono CD4 CD8 NK DC Mk Ery pDC HSC Treg Plasma Mast Neutro ILC gdT")
	for k := range names { // a file of classes, of which no sample of one is drawn
		labels := []int64{}
		for l := range names {
			if l != k {
				labels = append(labels, int64(l))
			}
		}
		c := ByClasses(labels, names)
		for j, name := range c.Names {
			if c.Style(j) != stylesOf(names)[slices.Index(names, name)] {
				t.Errorf("%s has another colour where %s is absent", name, names[k])
			}
		}
	}
	for k := range len(names) {
		some := stylesOf(names[:k+1])
		if distinct := slices.Compact(slices.Sorted(slices.Values(some))); len(distinct) != len(some) {
			t.Errorf("%d classes have the styles %v", k+1, some)
		}
	}
	names = names[:8]
	all, moved, trials := stylesOf(names), 0, 0
	for k, name := range names {
		if alone := stylesOf([]string{name})[0]; alone >= len(draw.ClassColors) {
			t.Errorf("%s alone is no dot", name)
		}
		rest := slices.Delete(slices.Clone(names), k, k+1)
		for j, style := range stylesOf(rest) {
			trials++
			if style != all[slices.Index(names, rest[j])] {
				moved++
			}
		}
	}
	if share := float64(moved) / float64(trials); share > 0.2 {
		t.Errorf("where one of %d classes is absent, %.2g of the others have another colour", len(names), share)
	}
	many := make([]string, 100)
	for k := range many {
		many[k] = strings.Repeat("x", k+1)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(stylesOf(many)))); len(distinct) != len(draw.ClassColors)*len(shapes) {
		t.Errorf("100 classes have %d styles", len(distinct))
	}
}

// Long names lose their middle: their ends distinguish them.
func TestLongNames(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short", "short"}, {"exactly ten", "exactly ten"}, {"CD4-positive, alpha-beta memory T cell", "CD4-po…T cell"}, {"ÄÖÜäöüÄÖÜäöüÄÖÜ", "ÄÖÜäöü…äöüÄÖÜ"},
	} {
		most := 13
		if got := shortened(c.text, most); got != c.want || len([]rune(got)) > most {
			t.Errorf("%q is shortened to %q, want %q", c.text, got, c.want)
		}
	}
}

// Samples without a value are drawn in grey, below the others, and the key says so.
func TestGapsAreGrey(t *testing.T) {
	values := []float64{3, math.NaN(), 1, 2}
	colors := draw.ByValues(values)
	if colors.Low != 1 || colors.High != 3 || colors.Of(1) != draw.Gap || colors.Of(0) == draw.Gap {
		t.Errorf("from %v to %v, a gap is %v", colors.Low, colors.High, colors.Of(1))
	}
	s := &Scatter{Y: grains(4, 2), Colors: colors}
	if order := s.order(); s.Points() != 4 || order[0] != 1 {
		t.Errorf("%d of 4 points are drawn, in the order %v", s.Points(), order)
	}
	for d, points := range map[int]int{1: 3, 2: 4, 3: 4, 4: 4} { // a single coordinate is drawn over the value
		page := &Page{Panels: []Panel{&Scatter{Y: grains(4, d), Colors: colors}}}
		for _, format := range Formats {
			var out bytes.Buffer
			must.Do(t, page.Write(&out, format))
			if format != ".png" && format != ".pdf" && !strings.Contains(out.String(), noValue) {
				t.Errorf("%s of %d coordinates does not say what is grey", format, d)
			}
		}
		if got := page.Panels[0].(*Scatter).Points(); got != points {
			t.Errorf("%d coordinates: %d points", d, got)
		}
	}
	none := draw.ByValues([]float64{math.NaN(), math.NaN()})
	must.Do(t, (&Page{Panels: []Panel{&Scatter{Y: mat.NewDense(2, 2, []float64{0, 1, 2, 3}), Colors: none}}}).Write(&bytes.Buffer{}, ".svg"))
}

// An objective that falls by a power of ten or more has a logarithmic axis; other curves never.
func TestDecades(t *testing.T) {
	for _, c := range []struct {
		curve Curve
		log   bool
	}{
		{Curve{Falls: true, Y: []float64{1e4, 10, 1}}, true}, {Curve{Falls: true, Y: []float64{100, math.NaN(), 5}}, true}, {Curve{Falls: true, Y: []float64{99, 10}}, false}, {Curve{Falls: true, Y: []float64{10, 1e-3, 5}}, false},
		{Curve{Falls: true, Y: []float64{100, 0}}, false}, {Curve{Falls: true, Y: []float64{100, -1}}, false}, {Curve{Y: []float64{1e4, 1}}, false},
	} {
		if c.curve.decades() != c.log {
			t.Errorf("%v: logarithmic is %v", c.curve.Y, c.curve.decades())
		}
		for _, tick := range logTicks(1e-12, 1e12) {
			if v, err := strconv.ParseFloat(strings.ReplaceAll(tick.Label, "−", "-"), 64); err != nil || math.Abs(v/tick.Value-1) > 1e-9 {
				t.Errorf("%v is marked %q", tick.Value, tick.Label)
			}
		}
		var out bytes.Buffer
		must.Do(t, (&Page{Panels: []Panel{&c.curve}}).Write(&out, ".svg"))
		_, _, low, high := c.curve.DataRange()
		if c.log && (low <= 0 || !slices.ContainsFunc(logTicks(low, high), func(tick plot.Tick) bool {
			return tick.Value == 10 && strings.Contains(out.String(), ">"+tick.Label+"<")
		})) {
			t.Errorf("%v: from %v to %v no tick is 10", c.curve.Y, low, high)
		}
	}
}
