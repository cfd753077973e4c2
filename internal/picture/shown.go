package picture

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/internal/visible"
)

// shown draws texts as a terminal gets them ([visible.Text]): a label of a file may hold control
// characters and changes of direction, which a viewer of pictures obeys. All words of a picture go
// through it.
type shown struct{ text.Handler }

// wordsShown draws the words of every panel.
var wordsShown = shown{plot.DefaultTextHandler}

// Lines gives one line for each text: a line break is spelled out too.
func (s shown) Lines(txt string) []string { return s.Handler.Lines(visible.Text(txt)) }

// Box is that of what is drawn.
func (s shown) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	return s.Handler.Box(visible.Text(txt), fnt)
}

// Draw draws the text.
func (s shown) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	style.Handler = s.Handler
	s.Handler.Draw(c, visible.Text(txt), style, at)
}

// allShown are texts of a page of HTML.
func allShown(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = visible.Text(text)
	}
	return list
}
