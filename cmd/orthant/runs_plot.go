package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/bench/draw"
)

// rankPicture shows the stability and the error of each rank, side by side.
type rankPicture struct {
	title                   string
	ranks, stability, error []float64
}

func (p *rankPicture) write(w io.Writer, svg bool) error {
	return writePicture(w, svg, pictureWidth+curveWidth, p.draw)
}

func (p *rankPicture) draw(c vgdraw.Canvas) {
	c = paper(c)
	half := (c.Max.X - c.Min.X) / 2
	for side, values := range [][]float64{p.stability, p.error} {
		title, label := p.title, "stability (silhouette)"
		if side == 1 {
			title, label = "", "error ‖X − WH‖²"
		}
		axes := newAxes(title)
		axes.X.Label.Text, axes.Y.Label.Text = "rank", label
		axes.Add(rankCurve{p.ranks, values})
		axes.Draw(vgdraw.Crop(c, vg.Length(side)*half, -vg.Length(1-side)*(half+10), 0, 0))
	}
}

// heldOutPicture shows the loss of held-out entries by rank.
type heldOutPicture struct {
	title         string
	share         float64
	best, sparing int
	ranks, mean   []float64
}

func (p *heldOutPicture) write(w io.Writer, svg bool) error {
	return writePicture(w, svg, pictureWidth, p.draw)
}

func (p *heldOutPicture) draw(c vgdraw.Canvas) {
	axes := newAxes(p.title)
	axes.X.Label.Text = fmt.Sprintf("rank (%d predicts best, %d within a standard error)", p.best, p.sparing)
	axes.Y.Label.Text = fmt.Sprintf("loss of an entry, %.3g %% held out", 100*p.share)
	axes.Add(rankCurve{p.ranks, p.mean})
	axes.Draw(paper(c))
}

// rankCurve draws the values of ranks as points on a line; a NaN is left out.
type rankCurve struct{ ranks, values []float64 }

// DataRange returns the range of the points, a little widened.
func (v rankCurve) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = v.ranks[0], v.ranks[len(v.ranks)-1], math.Inf(1), math.Inf(-1)
	for _, y := range v.values {
		if y == y {
			ymin, ymax = min(ymin, y), max(ymax, y)
		}
	}
	if ymin > ymax {
		ymin, ymax = 0, 1
	}
	dx, dy := 0.04*(xmax-xmin), 0.06*(ymax-ymin)
	if dx == 0 {
		dx = 1
	}
	if dy == 0 {
		dy = max(math.Abs(ymax), 1) / 10
	}
	return xmin - dx, xmax + dx, ymin - dy, ymax + dy
}

// Plot draws the line and its points.
func (v rankCurve) Plot(c vgdraw.Canvas, p *plot.Plot) {
	drawGrid(c, p)
	toX, toY := p.Transforms(&c)
	var line []vg.Point
	for i, y := range v.values {
		if y == y {
			line = append(line, vg.Point{X: toX(v.ranks[i]), Y: toY(y)})
		}
	}
	c.StrokeLines(vgdraw.LineStyle{Color: draw.ClassColors[0], Width: 1.4}, line)
	for _, at := range line {
		c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: draw.ClassColors[0], Radius: 2.6, Shape: vgdraw.CircleGlyph{}}, at)
	}
}
