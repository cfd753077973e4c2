//go:build !js

package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/internal/draw"
)

// Curve shows numbers as a line; a NaN is left out.
type Curve struct {
	Title, XLabel, YLabel string
	X, Y                  []float64 // X nil: from 0
	Dots                  bool      // each number is a point on the line
	Bars                  []float64 // the standard error of each number, drawn up and down from it; nil or NaN: none
	Falls                 bool      // an objective: its axis is logarithmic where it falls by a power of ten or more
	Cut                   float64   // where a line crosses, between what is taken and the rest; 0: nowhere
	Width, Height         vg.Length // of the panel; 0: the size of a page of its own
}

func (v *Curve) size() (width, height vg.Length) {
	width, height = panelWidth, panelHeight
	if v.Width > 0 {
		width = v.Width
	}
	if v.Height > 0 {
		height = v.Height
	}
	return width, height
}

func (v *Curve) check() error {
	for _, y := range v.Y {
		if y-y == 0 {
			return nil
		}
	}
	return fmt.Errorf("plot: there is no finite number to show as %s", v.YLabel)
}

func (v *Curve) x(i int) float64 {
	if v.X == nil {
		return float64(i)
	}
	return v.X[i]
}

func (v *Curve) draw(c vgdraw.Canvas) {
	axes := newAxes(v.XLabel, v.YLabel)
	axes.Add(v)
	if v.decades() {
		axes.Y.Scale, axes.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	if v.counts() {
		axes.X.Tick.Marker = plot.TickerFunc(wholeTicks)
	}
	withTitle(axes, v.Title, c)
}

// counts reports whether the numbers along the axis are whole ones, such as those of iterations.
func (v *Curve) counts() bool {
	return !slices.ContainsFunc(v.X, func(x float64) bool { return x != math.Round(x) })
}

// decades reports whether the numbers are all positive, span a power of ten or more and end in the lower half of their decades, which
// a logarithmic axis shows. Where an objective ends far above its least value, that was of columns that were not feasible.
func (v *Curve) decades() bool {
	low, high, last := math.Inf(1), math.Inf(-1), math.NaN()
	for _, y := range v.Y {
		if y-y == 0 {
			low, high, last = min(low, y), max(high, y), y
		}
	}
	return v.Falls && low > 0 && high/low >= 10 && last/low <= math.Sqrt(high/low)
}

// logTicks marks powers of ten, without raised digits: the font of a picture has no raised minus and no raised 0.
func logTicks(low, high float64) (ticks []plot.Tick) {
	for _, t := range draw.LogTicks(low, high) {
		if strings.ContainsAny(t.Label, draw.Superscript("0123456789-")) {
			t.Label = strings.NewReplacer("e-0", "e−", "e-", "e−", "e+0", "e", "e+", "e").Replace(strconv.FormatFloat(t.Value, 'e', 0, 64))
		}
		ticks = append(ticks, plot.Tick{Value: t.Value, Label: t.Label})
	}
	return ticks
}

// wholeTicks are the round ticks that are whole numbers.
func wholeTicks(low, high float64) (ticks []plot.Tick) {
	for _, t := range roundTicks(low, high) {
		if t.Value == math.Round(t.Value) {
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// DataRange returns the range of the line, a little widened.
func (v *Curve) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	for i, y := range v.Y {
		if y-y == 0 {
			xmin, xmax, ymin, ymax = min(xmin, v.x(i)), max(xmax, v.x(i)), min(ymin, y), max(ymax, y)
		}
	}
	if v.decades() {
		room := math.Pow(ymax/ymin, 0.05)
		return xmin, xmax, ymin / room, ymax * room
	}
	for i, bar := range v.Bars {
		if y := v.Y[i]; bar-bar == 0 && y-y == 0 {
			ymin, ymax = min(ymin, y-bar), max(ymax, y+bar)
		}
	}
	room := 0.05 * (ymax - ymin)
	if room == 0 {
		room = max(math.Abs(ymax), 1) / 10
	}
	side := 0.0
	if v.Dots {
		side = 0.04 * (xmax - xmin)
	}
	if xmax == xmin {
		side = 0.5
	}
	return xmin - side, xmax + side, ymin - room, ymax + room
}

// Plot draws the line and its points.
func (v *Curve) Plot(c vgdraw.Canvas, p *plot.Plot) {
	drawGrid(c, p)
	toX, toY := p.Transforms(&c)
	if v.Cut != 0 {
		dashed := vgdraw.LineStyle{Color: faint, Width: 0.9, Dashes: []vg.Length{4, 3}}
		c.StrokeLine2(dashed, toX(v.Cut), c.Min.Y, toX(v.Cut), c.Max.Y)
	}
	var line []vg.Point
	for i, y := range v.Y {
		if y-y == 0 {
			line = append(line, vg.Point{X: toX(v.x(i)), Y: toY(y)})
		}
	}
	c.StrokeLines(vgdraw.LineStyle{Color: draw.ClassColors[0], Width: 1.4}, line)
	for i, bar := range v.Bars {
		if y := v.Y[i]; bar-bar == 0 && y-y == 0 {
			low := y - bar
			if v.decades() { // which have no room for numbers below 0
				low = max(low, p.Y.Min)
			}
			c.StrokeLine2(vgdraw.LineStyle{Color: draw.ClassColors[0], Width: 1}, toX(v.x(i)), toY(low), toX(v.x(i)), toY(y+bar))
		}
	}
	if !v.Dots {
		return
	}
	for _, at := range line {
		c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: draw.ClassColors[0], Radius: 2.8, Shape: vgdraw.CircleGlyph{}}, at)
	}
}
