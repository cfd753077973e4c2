package picture

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"regexp"
	"strings"

	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/visible"
)

// pageHTML is the page of HTML, with places for its title and its data.
//
//go:embed page.html
var pageHTML string

// htmlData is what the page reads.
type htmlData struct {
	Samples int         `json:"samples"`
	Columns int         `json:"columns"`
	Panels  []any       `json:"panels"`
	Shades  []string    `json:"shades"` // of classes, over and over, or of values from low to high
	Gap     string      `json:"gap"`    // of samples without a value
	Colors  *htmlColors `json:"colors,omitempty"`
	IDs     []string    `json:"ids,omitempty"`
	Images  *sheets     `json:"images,omitempty"`
}

// htmlColors gives each sample a shade: its class, or the nearest of the shades.
type htmlColors struct {
	Of     string    `json:"of"` // int32, base64; -1: no value
	Names  []string  `json:"names,omitempty"`
	Styles []int     `json:"styles,omitempty"` // of each class
	Values []*number `json:"values,omitempty"`
	Low    float64   `json:"low"`
	High   float64   `json:"high"`
}

// number is one for JSON, which has no NaN.
type number float64

// MarshalJSON writes what is not finite as null.
func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); v-v == 0 {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// htmlPoints is a panel of points that one can move in.
type htmlPoints struct {
	Title   string    `json:"title"`
	Y       string    `json:"y"`    // float32, base64, −1 … 1 in each column
	Cols    int       `json:"cols"` // of y
	Mid     []float64 `json:"mid"`  // of each column
	Half    []float64 `json:"half"`
	Axes    []string  `json:"axes"`
	Equal   bool      `json:"equal"`
	Small   bool      `json:"small"`
	Classes bool      `json:"classes"` // the first column are classes
	Order   string    `json:"order"`   // int32, base64: the rows that are drawn
	Marked  []int     `json:"marked,omitempty"`
}

// htmlDrawing is a panel that stays as it is.
type htmlDrawing struct {
	Title string `json:"title,omitempty"`
	SVG   string `json:"svg"`
}

// shadesOfValues are enough for the eye.
const shadesOfValues = 64

// writeHTML writes the page as one file of HTML that reads no other.
func (p *Page) writeHTML(w io.Writer) error {
	data := htmlData{Columns: p.columns(), Shades: hexes(draw.ClassColors), Gap: hexes([]color.NRGBA{draw.Gap})[0]}
	for _, panel := range p.Panels {
		s, moves := panel.(*Scatter)
		if !moves {
			drawn, err := stillPanel(panel)
			if err != nil {
				return err
			}
			data.Panels = append(data.Panels, drawn)
			continue
		}
		data.Panels = append(data.Panels, s.points())
		if data.Samples == 0 {
			if err := data.share(s); err != nil {
				return err
			}
		}
	}
	text, err := json.Marshal(data) // < and > are escaped in it
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	title := html.EscapeString(visible.Text(p.Title))
	if title == "" {
		title = "orthant"
	}
	_, err = io.WriteString(w, strings.NewReplacer("{{TITLE}}", title, "{{DATA}}", string(text)).Replace(pageHTML))
	return err
}

// share takes what all panels of points have in common from the first.
func (d *htmlData) share(s *Scatter) (err error) {
	d.Samples, _ = s.Y.Dims()
	if s.IDs != nil {
		d.IDs = allShown(s.IDs)
	}
	if s.Images != nil {
		if d.Images, err = s.Images.sheets(); err != nil {
			return err
		}
	}
	if s.Colors == nil {
		return nil
	}
	of := make([]int32, d.Samples)
	d.Colors = &htmlColors{Low: s.Colors.Low, High: s.Colors.High}
	if s.Colors.Classes != nil {
		d.Colors.Names, d.Colors.Styles = allShown(s.Colors.Names), s.Colors.Styles
		for i, class := range s.Colors.Classes {
			of[i] = int32(class)
		}
	} else {
		d.Shades = nil
		for k := range shadesOfValues {
			d.Shades = append(d.Shades, hexes([]color.NRGBA{s.Colors.Shade((float64(k) + 0.5) / shadesOfValues)})...)
		}
		for i, v := range s.Colors.Values {
			value := number(v)
			d.Colors.Values = append(d.Colors.Values, &value)
			if s.Colors.Gap(i) {
				of[i] = -1
			} else if at := (v - s.Colors.Low) / (s.Colors.High - s.Colors.Low); at-at == 0 {
				of[i] = int32(min(max(at*shadesOfValues, 0), shadesOfValues-1))
			}
		}
	}
	d.Colors.Of = base64Of(of)
	return nil
}

// maxColumns are the coordinates that the page can show against each other.
const maxColumns = 20

// points are the samples for the page.
func (s *Scatter) points() htmlPoints {
	n, d := s.Y.Dims()
	cols := min(max(d, 2), maxColumns)
	p := htmlPoints{Title: visible.Text(s.Title), Cols: cols, Mid: make([]float64, cols), Half: make([]float64, cols), Equal: s.Equal && d > 1, Small: s.Small,
		Classes: d == 1 && s.Colors != nil && s.Colors.Classes != nil}
	at := func(i, j int) float64 { return s.Y.At(i, j) }
	if d == 1 {
		at = func(i, j int) float64 {
			x, y := s.at(i, 0, 1)
			return []float64{x, y}[j]
		}
	}
	order := s.order()
	list := make([]float32, n*cols)
	for q := range list {
		list[q] = float32(math.NaN())
	}
	for j := range cols {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range order {
			low, high = min(low, at(i, j)), max(high, at(i, j))
		}
		p.Mid[j], p.Half[j] = low/2+high/2, high/2-low/2
		for _, i := range order {
			list[i*cols+j] = 0
			if p.Half[j] > 0 {
				list[i*cols+j] = float32((at(i, j) - p.Mid[j]) / p.Half[j])
			}
		}
		p.Axes = append(p.Axes, visible.Text(s.axisName(j)))
	}
	if d == 1 {
		p.Axes[0], p.Axes[1] = s.names(0, 1)
	}
	rows := make([]int32, len(order))
	for k, i := range order {
		rows[k] = int32(i)
	}
	p.Y, p.Order, p.Marked = base64Of(list), base64Of(rows), s.Marked
	return p
}

// base64Of are numbers in little endian, as browsers on all but a few machines have them.
func base64Of[T int32 | float32](list []T) string {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, list) // a buffer takes all
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func hexes(colors []color.NRGBA) (list []string) {
	for _, c := range colors {
		list = append(list, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	return list
}

// namespace are the attributes of an SVG of its own, which one within HTML needs not.
var namespace = regexp.MustCompile(`\s+xmlns(:\w+)?="[^"]*"`)

// stillPanel draws a panel as it is on paper.
func stillPanel(panel Panel) (htmlDrawing, error) {
	text, err := svg(panel.size, func(c vgdraw.Canvas) { panel.draw(c) })
	if err != nil {
		return htmlDrawing{}, err
	}
	_, drawing, found := strings.Cut(string(text), "<svg")
	if !found {
		return htmlDrawing{}, errors.New("plot: a panel has no drawing")
	}
	drawing = namespace.ReplaceAllString("<svg"+drawing, "")
	return htmlDrawing{SVG: strings.ReplaceAll(drawing, "xlink:href", "href")}, nil
}
