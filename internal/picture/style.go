//go:build !js

package picture

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/visible"
)

var (
	ink   = color.NRGBA{0x2b, 0x2f, 0x36, 0xff}
	faint = color.NRGBA{0x8d, 0x93, 0x9c, 0xff}
	grid  = color.NRGBA{0xec, 0xee, 0xf1, 0xff}
)

// words is the style of text next to or below what is drawn.
func words(size vg.Length, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: text.XLeft, YAlign: text.YCenter, Handler: wordsShown,
	}
}

// centred is the style of text around a point.
func centred(size vg.Length, c color.Color) text.Style {
	style := words(size, c)
	style.XAlign = text.XCenter
	return style
}

// newAxes returns an empty plot in this command's style: thin lines, sans serif.
func newAxes(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	style := func(s *vgdraw.TextStyle, size vg.Length, c color.Color) {
		s.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
		s.Color, s.Handler = c, wordsShown
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		style(&axis.Label.TextStyle, 11, ink)
		style(&axis.Tick.Label, 9, faint)
		axis.Label.Padding, axis.Padding = 6, 0
		axis.LineStyle.Width, axis.LineStyle.Color = 0.6, faint
		axis.Tick.LineStyle.Width, axis.Tick.LineStyle.Color = 0.6, faint
		axis.Tick.Length = 4
		axis.Tick.Marker = plot.TickerFunc(roundTicks)
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

// withTitle draws axes below a title, which is centred over the data.
func withTitle(axes *plot.Plot, title string, c vgdraw.Canvas) {
	if title != "" {
		below := vgdraw.Crop(c, 0, 0, 0, -18)
		data := axes.DataCanvas(below)
		c.FillText(centred(11, ink), vg.Point{X: data.Center().X, Y: c.Max.Y - 6}, title)
		c = below
	}
	axes.Draw(c)
}

// roundTicks marks round numbers, between four and eight of them.
func roundTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range draw.RoundTicks(low, high) {
		ticks = append(ticks, plot.Tick{Value: t.Value, Label: t.Label})
	}
	return ticks
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

// shown draws texts as a terminal gets them ([visible.Text]): a label of a file may hold control
// characters and changes of direction, which a viewer of pictures obeys. All words of a picture go
// through it.
type shown struct{ text.Handler }

// wordsShown draws the words of every panel.
var wordsShown = shown{plot.DefaultTextHandler}

// Lines gives one line for each text: a line break is spelled out too.
func (s shown) Lines(txt string) []string { return s.Handler.Lines(visible.Text(txt)) }

// Box is the box of what is drawn.
func (s shown) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	return s.Handler.Box(visible.Text(txt), fnt)
}

// Draw draws the text.
func (s shown) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	style.Handler = s.Handler
	s.Handler.Draw(c, visible.Text(txt), style, at)
}
