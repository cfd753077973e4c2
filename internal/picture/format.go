package picture

import (
	"bytes"
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

// Formats are the endings of the files that a page can be written to.
var Formats = []string{".png", ".svg", ".pdf", ".html"}

// FormatOf returns which of [Formats] the name of a file tells, and whether it is one.
func FormatOf(path string) (string, bool) {
	ext := strings.ToLower(filepath.Ext(path))
	return ext, slices.Contains(Formats, ext)
}

// dpi makes a picture of 600 × 450 pt one of 1200 × 900 pixels.
const dpi = 144

// Write draws the page in one of [Formats]. A panel that has nothing to show is an error.
func (p *Page) Write(w io.Writer, format string) error {
	for _, panel := range p.Panels {
		if err := panel.check(); err != nil {
			return err
		}
	}
	switch format {
	case ".html":
		return p.writeHTML(w)
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

// inXML is a character, or what stands for one that no XML file may hold: a label may have any.
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
