package picture

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// mostPaired is the number of coordinates whose pairs are drawn.
const mostPaired = 5

// drawPairs draws each coordinate against each other in a triangle of small planes, and in
// the free corner what the colours mean.
func (s *Scatter) drawPairs(c vgdraw.Canvas) {
	_, d := s.Y.Dims()
	shown := min(d, mostPaired)
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
