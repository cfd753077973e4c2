package main

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/bench/draw"
)

// keyText is the style of the words beside a scatter plot.
func keyText() text.Style {
	return text.Style{
		Color: ink, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, 9),
		XAlign: text.XLeft, YAlign: text.YCenter, Handler: plot.DefaultTextHandler,
	}
}

const (
	barWidth = 10 * vg.Length(1)
	dotSpace = 15 * vg.Length(1)
	raise    = 1 * vg.Length(1) // centres digits, which have no descenders
)

// keyEntries returns the words of the key: classes, or ticks of the colour bar.
func keyEntries(c *draw.Coloring) (entries []plot.Tick) {
	if c == nil {
		return nil
	}
	if c.Classes == nil {
		if c.High <= c.Low {
			return nil
		}
		return roundTicks(c.Low, c.High)
	}
	for i, name := range c.Names {
		entries = append(entries, plot.Tick{Value: float64(i), Label: name})
	}
	return entries
}

// keyWidth returns the room that the key takes on the right, 0 for none.
func keyWidth(c *draw.Coloring) vg.Length {
	entries := keyEntries(c)
	if len(entries) == 0 {
		return 0
	}
	style := keyText()
	var words vg.Length
	for _, e := range entries {
		words = max(words, style.Width(e.Label))
	}
	return words + barWidth + 24
}

// drawKey draws what the colours mean: a dot for each class, or a bar.
func drawKey(c vgdraw.Canvas, colors *draw.Coloring) {
	style := keyText()
	entries := keyEntries(colors)
	if colors.Classes != nil {
		for i, e := range entries {
			at := vg.Point{X: c.Min.X + 4, Y: c.Max.Y - 6 - vg.Length(i)*dotSpace}
			c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: draw.ClassColors[i], Radius: 3.6, Shape: vgdraw.CircleGlyph{}}, at)
			c.FillText(style, vg.Point{X: at.X + 10, Y: at.Y + raise}, e.Label)
		}
		return
	}
	height := c.Max.Y - c.Min.Y
	const bands = 128
	for b := range bands {
		low, high := c.Min.Y+height*vg.Length(b)/bands, c.Min.Y+height*vg.Length(b+1)/bands
		if b < bands-1 {
			high += 0.5 // no seam between bands
		}
		band := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: low}, Max: vg.Point{X: c.Min.X + barWidth, Y: high}}
		c.SetColor(draw.Ramp((float64(b) + 0.5) / bands))
		c.Fill(band.Path())
	}
	style.Color = faint
	tick := vgdraw.LineStyle{Color: faint, Width: 0.6}
	for _, e := range entries {
		y := c.Min.Y + height*vg.Length((e.Value-colors.Low)/(colors.High-colors.Low))
		c.StrokeLine2(tick, c.Min.X+barWidth, y, c.Min.X+barWidth+3, y)
		c.FillText(style, vg.Point{X: c.Min.X + barWidth + 6, Y: y + raise}, e.Label)
	}
}
