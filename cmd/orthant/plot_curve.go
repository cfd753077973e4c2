package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/bench/draw"
)

// curveWidth is the width of the panel that shows how an iteration converged.
const curveWidth = 380 * vg.Length(1)

// width is that of the whole picture.
func (p *picture) width() vg.Length {
	if len(p.curve) > 0 {
		return pictureWidth + curveWidth
	}
	return pictureWidth
}

// drawCurve draws an objective over the iterations.
func drawCurve(c vgdraw.Canvas, values []float64) {
	axes := newAxes("convergence")
	axes.X.Label.Text, axes.Y.Label.Text = "iteration", "objective"
	axes.Add(curve(values))
	axes.Draw(c)
}

// curve draws numbers as a line over a light grid, the first at 0.
type curve []float64

// DataRange returns the range of the line, a little widened.
func (v curve) DataRange() (xmin, xmax, ymin, ymax float64) {
	ymin, ymax = math.Inf(1), math.Inf(-1)
	for _, y := range v {
		ymin, ymax = min(ymin, y), max(ymax, y)
	}
	room := 0.03 * (ymax - ymin)
	if room == 0 {
		room = max(math.Abs(ymax), 1) / 10
	}
	return 0, float64(max(len(v)-1, 1)), ymin - room, ymax + room
}

// Plot draws the line.
func (v curve) Plot(c vgdraw.Canvas, p *plot.Plot) {
	drawGrid(c, p)
	toX, toY := p.Transforms(&c)
	line := make([]vg.Point, len(v))
	for i, y := range v {
		line[i] = vg.Point{X: toX(float64(i)), Y: toY(y)}
	}
	c.StrokeLines(vgdraw.LineStyle{Color: draw.ClassColors[0], Width: 1.4}, line)
}

// drawGrid draws a light line at every tick.
func drawGrid(c vgdraw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	lines := vgdraw.LineStyle{Color: grid, Width: 0.6}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(lines, toX(t.Value), c.Min.Y, toX(t.Value), c.Max.Y)
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(lines, c.Min.X, toY(t.Value), c.Max.X, toY(t.Value))
	}
}
