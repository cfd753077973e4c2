//go:build !js

package picture

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/internal/draw"
)

const (
	barWidth = 10 * vg.Length(1)
	dotSpace = 15 * vg.Length(1)
	keyRows  = 26                // of classes, one below the other
	raise    = 1 * vg.Length(1)  // centres digits, which have no descenders
	keySpace = 24 * vg.Length(1) // next to the words: the gap to the data, the dot or the bar
)

// keyEntries returns the words of the key: classes, or ticks of the colour bar.
func keyEntries(c *draw.Coloring) (entries []plot.Tick) {
	switch {
	case c == nil || c.Classes == nil && c.High <= c.Low:
		return nil
	case c.Classes == nil:
		return roundTicks(c.Low, c.High)
	case len(c.Names) > MaxNamed:
		return []plot.Tick{{Label: fmt.Sprintf("%d classes", len(c.Names))}}
	}
	for i, name := range c.Names {
		entries = append(entries, plot.Tick{Value: float64(i), Label: shortened(name, 24)})
	}
	return entries
}

// shortened is a text of at most the given number of letters, without those in its middle: names
// often differ only at their ends.
func shortened(text string, letters int) string {
	list := []rune(text)
	if len(list) <= letters {
		return text
	}
	tail := (letters - 1) / 2
	return string(list[:letters-1-tail]) + "…" + string(list[len(list)-tail:])
}

// noValue is what the key says of samples that have a gap in the place of a value.
const noValue = "no value"

// hasGaps reports whether a sample has no value.
func hasGaps(c *draw.Coloring) bool {
	for i := range c.Values {
		if c.Gap(i) {
			return true
		}
	}
	return false
}

// keyColumn is the width of a column of the key.
func keyColumn(entries []plot.Tick) vg.Length {
	style := words(9, ink)
	var widest vg.Length
	for _, e := range entries {
		widest = max(widest, style.Width(e.Label))
	}
	return widest + barWidth + keySpace
}

// keyWidth returns the room that the key takes on the right, 0 for none.
func keyWidth(c *draw.Coloring) vg.Length {
	entries := keyEntries(c)
	if c != nil && hasGaps(c) {
		entries = append(entries, plot.Tick{Label: noValue})
	}
	if len(entries) == 0 {
		return 0
	}
	columns := 1
	if c.Classes != nil {
		columns = (len(entries) + keyRows - 1) / keyRows
	}
	return keyColumn(entries) * vg.Length(columns)
}

// drawKey draws what the colours mean: a dot for each class, or a bar.
func drawKey(c vgdraw.Canvas, colors *draw.Coloring) {
	entries := keyEntries(colors)
	if colors.Classes == nil {
		if hasGaps(colors) {
			at := vg.Point{X: c.Min.X + barWidth/2, Y: c.Min.Y + 4}
			c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: draw.Gap, Radius: 3.6, Shape: shapes[0]}, at)
			c.FillText(words(9, faint), vg.Point{X: c.Min.X + barWidth + 6, Y: at.Y + raise}, noValue)
			c.Min.Y += dotSpace
		}
		if len(entries) > 0 {
			drawBar(c, colors, entries)
		}
		return
	}
	style := words(9, ink)
	if len(colors.Names) > MaxNamed {
		style.Color = faint
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - 6}, entries[0].Label)
		return
	}
	width := keyColumn(entries)
	for i, e := range entries {
		at := vg.Point{X: c.Min.X + 4 + vg.Length(i/keyRows)*width, Y: c.Max.Y - 6 - vg.Length(i%keyRows)*dotSpace}
		shade := colors.Style(i)
		c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: draw.ClassColor(shade), Radius: 3.6, Shape: shapes[shapeOf(shade)]}, at)
		c.FillText(style, vg.Point{X: at.X + 10, Y: at.Y + raise}, e.Label)
	}
}

// drawBar draws the scale of values.
func drawBar(c vgdraw.Canvas, colors *draw.Coloring, entries []plot.Tick) {
	style := words(9, faint)
	height := c.Max.Y - c.Min.Y
	const bands = 128
	for b := range bands {
		low, high := c.Min.Y+height*vg.Length(b)/bands, c.Min.Y+height*vg.Length(b+1)/bands
		if b < bands-1 {
			high += 0.5 // no seam between bands
		}
		band := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: low}, Max: vg.Point{X: c.Min.X + barWidth, Y: high}}
		c.SetColor(colors.Shade((float64(b) + 0.5) / bands))
		c.Fill(band.Path())
	}
	tick := vgdraw.LineStyle{Color: faint, Width: 0.6}
	for _, e := range entries {
		y := c.Min.Y + height*vg.Length((e.Value-colors.Low)/(colors.High-colors.Low))
		c.StrokeLine2(tick, c.Min.X+barWidth, y, c.Min.X+barWidth+3, y)
		c.FillText(style, vg.Point{X: c.Min.X + barWidth + 6, Y: y + raise}, e.Label)
	}
}
