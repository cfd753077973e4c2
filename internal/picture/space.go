//go:build !js

package picture

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// view is a look at three coordinates from far away.
type view struct {
	low, high [3]float64
	unit      [3]float64 // half of what a side of the box shows
	scale     vg.Length
	center    vg.Point
}

// The direction from which the box is seen, as angles in degrees around and above.
const (
	viewAround = 35
	viewAbove  = 22
)

// across returns how far a corner lies to the right, above, and towards the eye.
func across(v [3]float64) (right, up, near float64) {
	sin, cos := math.Sincos(viewAround * math.Pi / 180)
	sinUp, cosUp := math.Sincos(viewAbove * math.Pi / 180)
	right = cos*v[0] + sin*v[1]
	depth := sin*v[0] - cos*v[1] // towards the eye, on the ground
	return right, cosUp*v[2] - sinUp*depth, cosUp*depth + sinUp*v[2]
}

// newView fits the box around the points to the canvas.
func (s *Scatter) newView(c vgdraw.Canvas) view {
	v := view{low: [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, high: [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}}
	n, _ := s.Y.Dims()
	for i := range n {
		if s.finite(i) {
			for j := range 3 {
				v.low[j], v.high[j] = min(v.low[j], s.Y.At(i, j)), max(v.high[j], s.Y.At(i, j))
			}
		}
	}
	widest := 0.0
	for j := range 3 {
		v.unit[j] = (v.high[j] - v.low[j]) / 2
		widest = max(widest, v.unit[j])
	}
	for j := range 3 {
		if s.Equal || v.unit[j] == 0 {
			v.unit[j] = widest
		}
	}
	size := c.Rectangle.Size()
	v.scale = min(size.X/3.3, size.Y/3.1)
	v.center = vg.Point{X: c.Center().X, Y: c.Center().Y}
	return v
}

// in returns a point in units of the box, from −1 to 1.
func (v view) in(p [3]float64) (q [3]float64) {
	for j := range 3 {
		if v.unit[j] > 0 {
			q[j] = (p[j] - v.low[j]/2 - v.high[j]/2) / v.unit[j]
		}
	}
	return q
}

// place returns where a point in units of the box is drawn.
func (v view) place(q [3]float64) vg.Point {
	right, up, _ := across(q)
	return vg.Point{X: v.center.X + vg.Length(right)*v.scale, Y: v.center.Y + vg.Length(up)*v.scale}
}

// drawSpace draws three coordinates: a box open towards the eye, and in it the points, the
// nearer ones over those behind, larger and stronger.
func (s *Scatter) drawSpace(c vgdraw.Canvas) {
	if s.Title != "" {
		c.FillText(centred(11, ink), vg.Point{X: c.Center().X, Y: c.Max.Y - 6}, s.Title)
		c = vgdraw.Crop(c, 0, 0, 0, -18)
	}
	v := s.newView(c)
	s.drawBox(c, v)
	order := s.order()
	row := func(i int) [3]float64 { return v.in([3]float64{s.Y.At(i, 0), s.Y.At(i, 1), s.Y.At(i, 2)}) }
	near := func(i int) float64 { _, _, towards := across(row(i)); return towards }
	slices.SortStableFunc(order, func(i, j int) int {
		switch a, b := near(i), near(j); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	radius := pointRadius(2*len(order), c)
	for _, i := range order {
		close := (near(i) + math.Sqrt(3)) / (2 * math.Sqrt(3)) // 0 behind, 1 in front
		s.point(c, i, v.place(row(i)), radius*vg.Length(0.75+0.5*close), uint8(0x80+0x70*close))
	}
	s.marks(c, func(i int) vg.Point { return v.place(row(i)) }, radius)
}

// drawBox draws the three sides behind the points, with a grid, and names the axes.
func (s *Scatter) drawBox(c vgdraw.Canvas, v view) {
	half := [3]float64{1, 1, 1} // of the box: shorter where a coordinate is
	for j := range 3 {
		half[j] = (v.high[j] - v.low[j]) / 2 / v.unit[j]
		if !(half[j] > 0.02) {
			half[j] = 0.02
		}
	}
	at := func(x, y, z float64) vg.Point { return v.place([3]float64{x * half[0], y * half[1], z * half[2]}) }
	thin := vgdraw.LineStyle{Color: grid, Width: 0.6}
	edge := vgdraw.LineStyle{Color: faint, Width: 0.5}
	for i := -4; i <= 4; i += 2 {
		t := float64(i) / 4
		for _, ends := range [][2]vg.Point{
			{at(t, -1, -1), at(t, 1, -1)}, {at(-1, t, -1), at(1, t, -1)}, // the floor
			{at(t, 1, -1), at(t, 1, 1)}, {at(-1, 1, t), at(1, 1, t)}, // the wall behind
			{at(-1, t, -1), at(-1, t, 1)}, {at(-1, -1, t), at(-1, 1, t)}, // the wall on the left
		} {
			c.StrokeLine2(thin, ends[0].X, ends[0].Y, ends[1].X, ends[1].Y)
		}
	}
	for _, ends := range [][2]vg.Point{{at(-1, -1, -1), at(1, -1, -1)}, {at(1, -1, -1), at(1, 1, -1)}, {at(-1, -1, -1), at(-1, -1, 1)}} {
		c.StrokeLine2(edge, ends[0].X, ends[0].Y, ends[1].X, ends[1].Y)
	}
	if s.Small {
		return
	}
	name, tick := centred(11, ink), centred(9, faint)
	for j, axis := range []struct {
		at        func(t float64) vg.Point // −1 to 1 along the axis
		away      vg.Point                 // the direction of its words
		distanced vg.Length
	}{
		{func(t float64) vg.Point { return at(t, -1, -1) }, vg.Point{X: -0.35, Y: -1}, 36},
		{func(t float64) vg.Point { return at(1, t, -1) }, vg.Point{X: 0.8, Y: -0.7}, 46},
		{func(t float64) vg.Point { return at(-1, -1, t) }, vg.Point{X: -1}, 46},
	} {
		for _, mark := range roundTicks(v.low[j], v.high[j]) {
			if t := (2*mark.Value - v.low[j] - v.high[j]) / (v.high[j] - v.low[j]); t >= -1 && t <= 1 {
				p := axis.at(t)
				c.FillText(tick, vg.Point{X: p.X + 13*axis.away.X, Y: p.Y + 12*axis.away.Y}, mark.Label)
			}
		}
		p := axis.at(0)
		style := name
		if j == 2 {
			style.Rotation = math.Pi / 2
		}
		c.FillText(style, vg.Point{X: p.X + axis.distanced*axis.away.X, Y: p.Y + axis.distanced*axis.away.Y}, s.axisName(j))
	}
}
