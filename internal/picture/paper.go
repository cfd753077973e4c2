//go:build !js

package picture

import (
	"bytes"
	"image/color"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Panel is one part of a page.
type Panel interface {
	// size is the room that the panel takes.
	size() (width, height vg.Length)
	// check refuses a panel that has nothing to show.
	check() error
	draw(c vgdraw.Canvas)
}

const (
	margin     = 16 * vg.Length(1) // left white around what is drawn
	titleSpace = 26 * vg.Length(1)
	gutter     = 14 * vg.Length(1) // between panels

	// A page of one panel and a title is 600 × 450 pt.
	panelWidth  = 600*vg.Length(1) - 2*margin
	panelHeight = 450*vg.Length(1) - 2*margin - titleSpace

	// One of many panels.
	smallWidth, smallHeight = 250 * vg.Length(1), 215 * vg.Length(1)
)

// grid returns the widths of the columns and the heights of the rows.
func (p *Page) grid() (widths, heights []vg.Length) {
	cols := p.columns()
	widths, heights = make([]vg.Length, cols), make([]vg.Length, (len(p.Panels)+cols-1)/cols)
	for i, panel := range p.Panels {
		w, h := panel.size()
		widths[i%cols], heights[i/cols] = max(widths[i%cols], w), max(heights[i/cols], h)
	}
	return widths, heights
}

func sum(list []vg.Length) (total vg.Length) {
	for _, v := range list {
		total += v
	}
	return total
}

// size is the size of the whole picture.
func (p *Page) size() (width, height vg.Length) {
	widths, heights := p.grid()
	width = sum(widths) + 2*margin + gutter*vg.Length(len(widths)-1)
	height = sum(heights) + 2*margin + gutter*vg.Length(len(heights)-1)
	if p.Title != "" {
		height += titleSpace
	}
	if p.Colors != nil {
		width += keyWidth(p.Colors)
	}
	return width, height
}

// draw lays the panels out below the title, which is centred.
func (p *Page) draw(c vgdraw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = vgdraw.Crop(c, margin, -margin, margin, -margin)
	if p.Title != "" {
		c.FillText(centred(13, ink), vg.Point{X: c.Center().X, Y: c.Max.Y - 8}, p.Title)
		c = vgdraw.Crop(c, 0, 0, 0, -titleSpace)
	}
	if right := keyWidth(p.Colors); right > 0 {
		key := c
		key.Min.X, key.Max.Y = c.Max.X-right+14, c.Max.Y-18
		if p.Colors.Classes == nil {
			key.Min.Y = max(key.Min.Y+34, key.Max.Y-2*smallHeight)
		}
		drawKey(key, p.Colors)
		c.Max.X -= right
	}
	widths, heights := p.grid()
	top := c.Max.Y
	for row, height := range heights {
		left := c.Min.X
		for col, width := range widths {
			if i := row*len(widths) + col; i < len(p.Panels) {
				part := c
				part.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + width, Y: top}}
				p.Panels[i].draw(part)
			}
			left += width + gutter
		}
		top -= height + gutter
	}
}

// Formats are the endings of the files that a page can be written to.
var Formats = []string{".png", ".svg", ".pdf", ".html"}

// FormatOf returns which of [Formats] the name of a file ends with, and whether it is one.
func FormatOf(path string) (string, bool) {
	ext := strings.ToLower(filepath.Ext(path))
	return ext, slices.Contains(Formats, ext)
}

// dpi makes a picture of 600 × 450 pt one of 1200 × 900 pixels.
const dpi = 144

// Write draws the page in one of [Formats]. A panel that has nothing to show is an error.
func (p *Page) Write(w io.Writer, format string) error {
	if format == ".html" {
		return p.WriteHTML(w)
	}
	if err := p.check(); err != nil {
		return err
	}
	switch format {
	case ".svg":
		text, err := svg(p.size, p.draw)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	case ".pdf":
		width, height := p.size()
		canvas := vgpdf.New(width, height)
		canvas.EmbedFonts(true)
		p.draw(vgdraw.New(canvas))
		var text bytes.Buffer
		if _, err := canvas.WriteTo(&text); err != nil {
			return err
		}
		_, err := w.Write(undated(text.Bytes()))
		return err
	}
	width, height := p.size()
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	p.draw(vgdraw.New(canvas))
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(w, canvas.Image())
}

// svg draws with words that stay words.
func svg(size func() (width, height vg.Length), draw func(vgdraw.Canvas)) ([]byte, error) {
	width, height := size()
	canvas := vgsvg.New(width, height)
	draw(vgdraw.New(canvas))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return nil, err
	}
	written := bytes.Map(inXML, text.Bytes())
	// Where the font is missing, a viewer should take a sans serif of its own.
	return bytes.ReplaceAll(written, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), nil
}

// inXML is a character, or the replacement of one that no XML file may hold: a label may have any.
func inXML(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
		return unicode.ReplacementChar
	}
	return r
}

// undated puts one date in the place of the time at which a PDF was made: the same
// picture is the same file.
func undated(text []byte) []byte {
	for _, key := range []string{"/CreationDate (D:", "/ModDate (D:"} {
		rest := text
		for {
			_, after, found := bytes.Cut(rest, []byte(key))
			if !found || len(after) < 14 {
				break
			}
			copy(after, "20000101000000")
			rest = after
		}
	}
	return text
}
