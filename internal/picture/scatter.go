//go:build !js

package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/draw"
)

// size of a panel with its key, except for pairs.
func (s *Scatter) size() (width, height vg.Length) {
	switch _, d := s.Y.Dims(); {
	case s.Small:
		return smallWidth, smallHeight
	case s.Bare:
		return 440, 380
	case d > 3:
		return 680, 620
	}
	return panelWidth, panelHeight
}

// order lists the rows that are drawn, shuffled: of classes that lie on each other none
// shall hide the others because it came last.
func (s *Scatter) order() []int {
	n, _ := s.Y.Dims()
	list := make([]int, 0, n)
	for i := range n {
		if s.finite(i) {
			list = append(list, i)
		}
	}
	random := blas.NewStream(1)
	for i := len(list) - 1; i > 0; i-- {
		j := random.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	slices.SortStableFunc(list, func(i, j int) int { // those without a value hide no other
		switch a, b := s.Colors.Gap(i), s.Colors.Gap(j); {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	})
	return list
}

func (s *Scatter) draw(c vgdraw.Canvas) {
	_, d := s.Y.Dims()
	if d > 3 {
		s.drawPairs(c)
		return
	}
	right := vg.Length(0)
	if !s.Small && !s.Bare {
		right = keyWidth(s.Colors)
	}
	main := vgdraw.Crop(c, 0, -right, 0, 0)
	data := main
	if d == 3 {
		s.drawSpace(main)
		data.Max.Y -= 24
		data.Min.Y += 24
	} else {
		data = s.drawPlane(main, 0, 1)
	}
	if right > 0 {
		key := data
		key.Min.X, key.Max.X = c.Max.X-right+14, c.Max.X
		drawKey(key, s.Colors)
	}
}

// drawPlane draws two coordinates and returns the part of the canvas that holds the points.
func (s *Scatter) drawPlane(c vgdraw.Canvas, a, b int) vgdraw.Canvas {
	x, y := s.names(a, b)
	axes := newAxes(x, y)
	if s.Small {
		axes.X.Label.Text, axes.Y.Label.Text = "", ""
		for _, axis := range []*plot.Axis{&axes.X, &axes.Y} {
			axis.Tick.Marker = plot.ConstantTicks(nil)
			axis.LineStyle.Width = 0
		}
	}
	if _, d := s.Y.Dims(); d == 1 && s.Colors != nil && s.Colors.Classes != nil && len(s.Colors.Names) <= MaxNamed {
		axes.X.Tick.Marker = plot.ConstantTicks(keyEntries(s.Colors))
	}
	axes.Add(plane{s, a, b})
	room := c
	if s.Title != "" {
		room = vgdraw.Crop(c, 0, 0, 0, -18)
	}
	if _, d := s.Y.Dims(); s.Equal && d > 1 {
		for range 2 { // the ticks change with the ranges, and their width with them
			equalise(axes, axes.DataCanvas(room))
		}
	}
	withTitle(axes, s.Title, c)
	return axes.DataCanvas(room)
}

// equalise widens the range of one axis until a unit is as long on both.
func equalise(axes *plot.Plot, data vgdraw.Canvas) {
	width, height := float64(data.Max.X-data.Min.X), float64(data.Max.Y-data.Min.Y)
	unit := max((axes.X.Max-axes.X.Min)/width, (axes.Y.Max-axes.Y.Min)/height)
	for axis, length := range map[*plot.Axis]float64{&axes.X: width, &axes.Y: height} {
		room := (unit*length - (axis.Max - axis.Min)) / 2
		axis.Min, axis.Max = axis.Min-room, axis.Max+room
	}
}

// plane draws the points by two of their coordinates over a light grid.
type plane struct {
	*Scatter
	a, b int
}

// DataRange returns the range of the points, a little widened so that none lies
// on an axis.
func (s plane) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	n, _ := s.Y.Dims()
	for i := range n {
		if s.finite(i) {
			x, y := s.at(i, s.a, s.b)
			xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, y), max(ymax, y)
		}
	}
	dx, dy := 0.03*(xmax-xmin), 0.03*(ymax-ymin)
	return xmin - dx, xmax + dx, ymin - dy, ymax + dy
}

func (s plane) Plot(c vgdraw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	if s.Small {
		c.SetColor(color.NRGBA{0xfa, 0xfb, 0xfc, 0xff})
		c.Fill(c.Rectangle.Path())
	} else {
		drawGrid(c, p)
	}
	place := func(i int) vg.Point {
		x, y := s.at(i, s.a, s.b)
		return vg.Point{X: toX(x), Y: toY(y)}
	}
	order := s.order()
	radius := pointRadius(len(order), c)
	for _, i := range order {
		s.point(c, i, place(i), radius, pointOpacity)
	}
	s.marks(c, place, radius)
}

// point draws one sample.
func (s *Scatter) point(c vgdraw.Canvas, i int, at vg.Point, radius vg.Length, opacity uint8) {
	shade := s.Colors.Of(i)
	shade.A = opacity
	glyph := vgdraw.GlyphStyle{Color: shade, Radius: radius, Shape: shapes[0]}
	if s.Colors != nil && s.Colors.Classes != nil {
		glyph.Shape = shapes[shapeOf(s.Colors.Style(s.Colors.Classes[i]))]
	}
	if len(s.Marked) > 0 {
		shade.A = opacity / 2 // so that the marks stand out
		glyph.Color = shade
	}
	c.DrawGlyphNoClip(glyph, at)
}

// marks rings the samples that are to stand out.
func (s *Scatter) marks(c vgdraw.Canvas, place func(i int) vg.Point, radius vg.Length) {
	for _, i := range s.Marked {
		if !s.finite(i) {
			continue
		}
		at := place(i)
		r := max(radius*1.5, 3.2)
		c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: color.White, Radius: r + 2.2, Shape: vgdraw.CircleGlyph{}}, at)
		c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: ink, Radius: r + 1.4, Shape: vgdraw.CircleGlyph{}}, at)
		c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: markColor(s.Colors, i), Radius: r, Shape: vgdraw.CircleGlyph{}}, at)
	}
}

// markColor is the colour of the sample; where all have one colour, another.
func markColor(colors *draw.Coloring, i int) color.NRGBA {
	if colors == nil {
		return draw.ClassColors[1]
	}
	return colors.Of(i)
}

// pointOpacity lets dense places show.
const pointOpacity = 0xd0

// pointRadius shrinks the points as their number grows: about a quarter of
// the area is covered, within what can be seen.
func pointRadius(n int, c vgdraw.Canvas) vg.Length {
	size := c.Rectangle.Size()
	area := float64(size.X) * float64(size.Y)
	return vg.Length(min(max(math.Sqrt(0.25*area/(math.Pi*float64(n))), 0.8), 3*math.Sqrt(area/(500*350))+0.2))
}

// maxPaired is the number of coordinates whose pairs are drawn.
const maxPaired = 5

// drawPairs draws each coordinate against each other in a triangle of small planes, and in
// the free corner what the colours mean.
func (s *Scatter) drawPairs(c vgdraw.Canvas) {
	_, d := s.Y.Dims()
	shown := min(d, maxPaired)
	title := s.Title
	if d > shown {
		title = fmt.Sprintf("the first %d of %d coordinates, in pairs", shown, d)
	}
	if title != "" {
		c.FillText(centred(11, ink), vg.Point{X: c.Center().X, Y: c.Max.Y - 6}, title)
		c = vgdraw.Crop(c, 0, 0, 0, -18)
	}
	size := c.Rectangle.Size()
	cells := vg.Length(shown - 1)
	const words = 16 // for the names of coordinates, left and below
	width, height := (size.X-words)/cells, (size.Y-words)/cells
	for row := 1; row < shown; row++ {
		for col := range row {
			cell := c
			cell.Rectangle = vg.Rectangle{
				Min: vg.Point{X: c.Min.X + words + vg.Length(col)*width + 3, Y: c.Max.Y - vg.Length(row)*height + 3},
				Max: vg.Point{X: c.Min.X + words + vg.Length(col+1)*width - 3, Y: c.Max.Y - vg.Length(row-1)*height - 3},
			}
			one := *s
			one.Title, one.Small = "", true
			one.drawPlane(cell, col, row)
		}
		side := centred(10, ink)
		side.Rotation = math.Pi / 2
		c.FillText(side, vg.Point{X: c.Min.X + 4, Y: c.Max.Y - (vg.Length(row)-0.5)*height}, s.axisName(row))
		c.FillText(centred(10, ink), vg.Point{X: c.Min.X + words + (vg.Length(row)-0.5)*width, Y: c.Min.Y + 4}, s.axisName(row-1))
	}
	if right := keyWidth(s.Colors); right > 0 {
		key := c
		key.Min.X = c.Max.X - right + 14
		key.Max.Y -= 8
		key.Min.Y = c.Max.Y - 1.6*height
		drawKey(key, s.Colors)
	}
}
