package picture

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/internal/draw"
)

// MaxNamed is the number of classes up to which a picture names each next to its colour
// and shape.
const MaxNamed = 40

// ByClasses colours samples by their labels; names[l] is the name of class l, and without names
// the labels are their own. Numbers of which nearly every sample has its own are a scale.
func ByClasses(labels []int64, names []string) *draw.Coloring {
	distinct := slices.Clone(labels)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if names == nil && len(distinct) > MaxNamed && 2*len(distinct) > len(labels) {
		return draw.ByLabels(labels)
	}
	c := &draw.Coloring{Classes: make([]int, len(labels))}
	for _, l := range distinct {
		name := strconv.FormatInt(l, 10)
		if names != nil {
			name = names[l]
		}
		c.Names = append(c.Names, name)
	}
	for i, l := range labels {
		c.Classes[i], _ = slices.BinarySearch(distinct, l)
	}
	return c
}

// shapeOf is the shape of a class: a dot in the first round of colours.
func shapeOf(class int) int { return class / len(draw.ClassColors) % len(shapes) }

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
var shapes = []vgdraw.GlyphDrawer{
	vgdraw.CircleGlyph{},
	polygon{4, 1. / 8, 1.25},
	polygon{3, 1. / 4, 1.5},
	polygon{4, 0, 1.35},
}
