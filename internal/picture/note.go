//go:build !js

package picture

import (
	"strings"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Note is words in the place of a small panel: why there is no picture. Without words it is an
// empty place.
type Note struct{ Title, Text string }

func (n *Note) size() (width, height vg.Length) { return smallWidth, smallHeight }

func (n *Note) check() error { return nil }

// noteLetters fit side by side.
const noteLetters = 40

func (n *Note) draw(c vgdraw.Canvas) {
	if n.Title != "" {
		c.FillText(centred(11, ink), vg.Point{X: c.Center().X, Y: c.Max.Y - 6}, n.Title)
	}
	y := c.Max.Y - 40
	for _, text := range lines(n.Text, noteLetters) {
		if y < c.Min.Y {
			return
		}
		c.FillText(centred(9, faint), vg.Point{X: c.Center().X, Y: y}, text)
		y -= 13
	}
}

// lines breaks a text into lines of at most the given number of letters, where words allow.
func lines(text string, letters int) (list []string) {
	at := ""
	for _, word := range strings.Fields(text) {
		if at != "" && len([]rune(at))+1+len([]rune(word)) > letters {
			list, at = append(list, at), ""
		}
		if at != "" {
			at += " "
		}
		at += word
	}
	return append(list, at)
}
