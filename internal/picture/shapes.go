//go:build !js

package picture

import (
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// polygon is a filled shape of corners on a circle, about as large as a dot of the same
// radius.
type polygon struct {
	corners int
	turn    float64 // of the first corner, in whole turns from the right
	reach   float64 // of the corners, in radii
}

// DrawGlyph draws the shape around a point.
func (g polygon) DrawGlyph(c *vgdraw.Canvas, style vgdraw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i := range g.corners {
		angle := 2 * math.Pi * (g.turn + float64(i)/float64(g.corners))
		r := style.Radius * vg.Length(g.reach)
		corner := vg.Point{X: at.X + r*vg.Length(math.Cos(angle)), Y: at.Y + r*vg.Length(math.Sin(angle))}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.SetColor(style.Color)
	c.Fill(path)
}

// shapes distinguish the classes that share a colour: dots first, as most pictures have no
// more classes than colours.
var shapes = [shapesOfClasses]vgdraw.GlyphDrawer{
	vgdraw.CircleGlyph{},
	polygon{4, 1. / 8, 1.25},
	polygon{3, 1. / 4, 1.5},
	polygon{4, 0, 1.35},
}
