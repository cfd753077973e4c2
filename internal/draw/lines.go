package draw

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Lines is a diagram of curves. Points that are not finite, or not above 0 on a
// logarithmic axis, interrupt their curve.
type Lines struct {
	XLabel, YLabel string
	LogX, LogY     bool
	Curves         []Curve

	all []Curve // that the axes have room for as well: the curves of all panels
}

// Curve is one line of a diagram.
type Curve struct {
	Name   string
	X, Y   []float64
	Dashed bool
	Links  []string // where each point leads to; nil: nowhere
}

// Colors is the number of colours of curves: the classes c0 to c7. More curves go to several
// diagrams, see [Lines.Panels].
const Colors = 8

// ColorOf returns the colour of each curve. A dashed curve whose name begins with
// the name of a solid one shares its colour: a fit, or a paper's figures.
func (l *Lines) ColorOf() []int {
	colors := l.colorsOf()
	for i := range colors {
		colors[i] %= Colors
	}
	return colors
}

// colorsOf numbers the colours without an end.
func (l *Lines) colorsOf() []int {
	colors, next := make([]int, len(l.Curves)), 0
	for i, c := range l.Curves {
		if !c.Dashed {
			colors[i] = next
			next++
		}
	}
	for i, c := range l.Curves {
		if !c.Dashed {
			continue
		}
		best := -1
		for j, solid := range l.Curves {
			if !solid.Dashed && strings.HasPrefix(c.Name, solid.Name) && (best < 0 || len(solid.Name) > len(l.Curves[best].Name)) {
				best = j
			}
		}
		if best >= 0 {
			colors[i] = colors[best]
		} else {
			colors[i] = next
			next++
		}
	}
	return colors
}

// axis maps the numbers of one axis to the page.
type axis struct {
	low, high float64 // as drawn: logarithms on a logarithmic axis
	log       bool
	from, to  float64 // on the page
	ticks     []Tick
}

func (a *axis) shown(v float64) bool { return v-v == 0 && (!a.log || v > 0) }

func (a *axis) at(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from)
}

// span fits the axis to the numbers, a little wider so that no point is cut.
func (a *axis) span(values []float64) {
	low, high := slices.Min(values), slices.Max(values)
	if a.log {
		low, high = math.Log10(low), math.Log10(high)
	}
	room := 0.04 * (high - low)
	if !(high > low) {
		room = 0.3
		if !a.log {
			room = max(math.Abs(low)*0.1, 0.5)
		}
	}
	if !a.log && low >= 0 && low < 0.35*high {
		low = 0 // close to the origin: begin there
		a.low, a.high = 0, high+room
	} else {
		a.low, a.high = low-room, high+room
	}
	if a.log {
		a.ticks = LogTicks(math.Pow(10, a.low), math.Pow(10, a.high))
	} else {
		a.ticks = RoundTicks(a.low, a.high)
	}
}

// points returns the drawable points of all curves, or false where there are none.
func (l *Lines) axes() (x, y *axis, ok bool) {
	x, y = &axis{log: l.LogX}, &axis{log: l.LogY}
	var xs, ys []float64
	for _, c := range append(slices.Clone(l.Curves), l.all...) {
		for i := range min(len(c.X), len(c.Y)) {
			if x.shown(c.X[i]) && y.shown(c.Y[i]) {
				xs, ys = append(xs, c.X[i]), append(ys, c.Y[i])
			}
		}
	}
	if len(xs) == 0 {
		return nil, nil, false
	}
	x.span(xs)
	y.span(ys)
	return x, y, true
}

const (
	letter  = 6.3 // width of an average letter of the labels
	leading = 15  // from label to label
)

// SVG draws the curves on this many units, with their names at their ends where
// named is set and they fit. It is empty where no curve has a point to draw. The
// text is text: 12 units high by the page's style.
func (l *Lines) SVG(width, height int, named bool) string {
	x, y, ok := l.axes()
	if !ok {
		return ""
	}
	left := 0.0
	for _, t := range y.ticks {
		left = max(left, letter*float64(len([]rune(t.Label))))
	}
	right := 14.0
	named = named && len(l.Curves) <= (height-70)/leading
	if named {
		for _, c := range l.Curves {
			right = max(right, 30+letter*float64(len([]rune(c.Name))))
		}
		right = min(right, 0.36*float64(width))
	}
	x.from, x.to = left+14, float64(width)-right
	y.from, y.to = float64(height)-44, 30
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height, html.EscapeString(l.describe()))
	l.frame(&b, x, y)
	colors := l.ColorOf()
	for i, c := range l.Curves {
		fmt.Fprintf(&b, `<g class="c%d">`, colors[i])
		c.draw(&b, x, y)
		b.WriteString(`</g>`)
	}
	if named {
		l.names(&b, x, y, colors)
	}
	b.WriteString(`</svg>`)
	return b.String()
}

func (l *Lines) describe() string {
	var names []string
	for _, c := range l.Curves {
		names = append(names, c.Name)
	}
	return fmt.Sprintf("%s against %s: %s", l.YLabel, l.XLabel, strings.Join(names, ", "))
}

// frame draws the grid, the axis and their words. The name of the vertical axis
// is above it, upright.
func (l *Lines) frame(b *strings.Builder, x, y *axis) {
	for _, t := range y.ticks {
		at := y.at(t.Value)
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" text-anchor="end" x="%.1f" y="%.1f">%s</text>`, x.from, at, x.to, x.from-7, at+4, t.Label)
	}
	end := -math.MaxFloat64
	for _, t := range x.ticks {
		at := x.at(t.Value)
		fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fv5"/>`, at, y.from)
		if half := letter * float64(len([]rune(t.Label))) / 2; at-half > end+6 {
			fmt.Fprintf(b, `<text class="tick" text-anchor="middle" x="%.1f" y="%.1f">%s</text>`, at, y.from+19, t.Label)
			end = at + half
		}
	}
	fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fH%.1f"/>`, x.from, y.from, x.to)
	fmt.Fprintf(b, `<text class="name" x="0" y="14">%s</text>`, html.EscapeString(l.YLabel))
	fmt.Fprintf(b, `<text class="name" text-anchor="end" x="%.1f" y="%.1f">%s</text>`, x.to, y.from+38, html.EscapeString(l.XLabel))
}

// draw draws the line, and a dot at each point of a solid one unless there are
// many.
func (c *Curve) draw(b *strings.Builder, x, y *axis) {
	pen, n := "M", min(len(c.X), len(c.Y))
	var path, dots strings.Builder
	for i := range n {
		if !x.shown(c.X[i]) || !y.shown(c.Y[i]) {
			pen = "M"
			continue
		}
		px, py := x.at(c.X[i]), y.at(c.Y[i])
		fmt.Fprintf(&path, "%s%.1f %.1f", pen, px, py)
		pen = "L"
		if c.Dashed && i >= len(c.Links) || n > 40 {
			continue
		}
		dot := fmt.Sprintf(`<circle class="dot" cx="%.1f" cy="%.1f" r="3.2"><title>%s: %s, %s</title></circle>`,
			px, py, html.EscapeString(c.Name), Number(c.X[i], 4), Number(c.Y[i], 4))
		if i < len(c.Links) && c.Links[i] != "" {
			dot = fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(c.Links[i]), dot)
		}
		dots.WriteString(dot)
	}
	class := "curve"
	if c.Dashed {
		class = "curve dashed"
	}
	fmt.Fprintf(b, `<path class="%s" d="%s"/>%s`, class, path.String(), dots.String())
}

// names writes each curve's name at its end, apart from the others. What leads from the one
// to the other is drawn next to the diagram only: within it, it would look measured.
func (l *Lines) names(b *strings.Builder, x, y *axis, colors []int) {
	type label struct {
		curve       int
		x, end, pos float64
	}
	var labels []label
	for i, c := range l.Curves {
		for j := min(len(c.X), len(c.Y)) - 1; j >= 0; j-- {
			if x.shown(c.X[j]) && y.shown(c.Y[j]) {
				at := y.at(c.Y[j])
				labels = append(labels, label{i, x.at(c.X[j]), at, at})
				break
			}
		}
	}
	slices.SortStableFunc(labels, func(p, q label) int {
		switch {
		case p.end < q.end:
			return -1
		case p.end > q.end:
			return 1
		}
		return 0
	})
	// Downwards each keeps its distance from the one above, then upwards from the
	// lower edge.
	for i := 1; i < len(labels); i++ {
		labels[i].pos = max(labels[i].pos, labels[i-1].pos+leading)
	}
	limit := y.from
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].pos = min(labels[i].pos, limit)
		limit = labels[i].pos - leading
	}
	for _, one := range labels {
		class := fmt.Sprintf("c%d", colors[one.curve])
		fmt.Fprintf(b, `<g class="%s"><path class="leader" d="M%.1f %.1fL%.1f %.1f"/><text class="label" x="%.1f" y="%.1f">%s</text></g>`,
			class, x.to+6, one.end, x.to+18, one.pos, x.to+22, one.pos+4, html.EscapeString(l.Curves[one.curve].Name))
	}
}

// Panels divides the curves among diagrams of the same axes, so that none has more colours
// than given: beyond some eight, colours are hard to distinguish, and lines cover each other. A
// dashed curve stays with the solid one whose colour it has, and panels have about as many
// colours each.
func (l *Lines) Panels(most int) []*Lines {
	colors := l.colorsOf()
	count := 0
	if len(colors) > 0 {
		count = slices.Max(colors) + 1
	}
	parts := (count + most - 1) / most
	if parts <= 1 {
		return []*Lines{l}
	}
	panels := make([]*Lines, parts)
	for p := range panels {
		one := *l
		one.Curves, one.all = nil, l.Curves
		for i, c := range l.Curves {
			if colors[i]*parts/count == p {
				one.Curves = append(one.Curves, c)
			}
		}
		panels[p] = &one
	}
	return panels
}
