package picture

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/internal/visible"
)

// Control characters and changes of direction in a title, a name, an id or the name of an axis are
// spelled out in every format: none stands in the file as it is, nor as an escape that a browser
// takes for it. All else in the text is there.
func TestWordsAreShown(t *testing.T) {
	commands := []string{"\x1b[31m", "\x00", "\n", "\r", "\t", "\x7f", "\u0085", "\u2028", "\u2029", "\u061c", "\u200e", "\u200f"}
	for r := '\u202a'; r <= '\u202e'; r++ {
		commands = append(commands, string(r))
	}
	for r := '\u2066'; r <= '\u2069'; r++ {
		commands = append(commands, string(r))
	}
	for _, c := range commands {
		name := "a" + c + "z"
		spelled := visible.Text(name)
		if spelled == name {
			t.Fatalf("%q is not spelled out", name)
		}
		page := func() *Page {
			y := mat.NewDense(3, 2, []float64{0, 1, 2, 3, 5, 4})
			colors := &draw.Coloring{Classes: []int{0, 1, 0}, Names: []string{name, "plain"}}
			return &Page{Title: name, Panels: []Panel{&Scatter{Title: name, Y: y, Axes: name, Colors: colors, IDs: []string{name, "1", "2"}}}}
		}
		for _, format := range Formats {
			var out bytes.Buffer
			if err := page().Write(&out, format); err != nil {
				t.Fatalf("%q in %s: %v", c, format, err)
			}
			text := out.String()
			clean := page()
			for _, panel := range clean.Panels {
				s := panel.(*Scatter)
				s.Title, s.Axes, s.Colors.Names[0], s.IDs[0] = spelled, spelled, spelled, spelled
			}
			clean.Title = spelled
			var want bytes.Buffer
			must.Do(t, clean.Write(&want, format))
			if !bytes.Equal(out.Bytes(), want.Bytes()) {
				t.Errorf("%q in %s is not drawn as %q is", c, format, spelled)
			}
			if format != ".svg" && format != ".html" {
				continue // compressed
			}
			if format == ".html" {
				_, text, _ = strings.Cut(text, `id="data">`)
				text, _, _ = strings.Cut(text, "</script>")
			}
			if strings.Contains(html.UnescapeString(text), name) {
				t.Errorf("%q is in %s as it is", c, format)
			}
			if escaped := strings.ReplaceAll(spelled, `\`, `\\`); !strings.Contains(text, spelled) && !strings.Contains(text, escaped) {
				t.Errorf("%q is not in %s", spelled, format)
			}
		}
	}
}
