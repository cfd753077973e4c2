package picture

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/visible"
)

// pageParts are the page of HTML, with places for its title, its style, its data and its script.
//
//go:embed page
var pageParts embed.FS

// pageScripts are the parts of the script, in the order in which they are run.
var pageScripts = []string{"samples.js", "shades.js", "paint.js", "axes.js", "points.js", "hands.js", "key.js", "picked.js", "start.js"}

// pageText is the page without title and data.
var pageText = sync.OnceValue(func() string {
	part := func(name string) string {
		text, err := pageParts.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it was embedded
		}
		return string(text)
	}
	var script strings.Builder
	for _, name := range pageScripts {
		script.WriteString(part(name))
	}
	return strings.NewReplacer("{{STYLE}}", part("page.css"), "{{SCRIPT}}", script.String()).Replace(part("page.html"))
})

// Coloring is a number for each sample, NaN for none, that a page of HTML can colour the samples by.
type Coloring struct {
	Name   string
	Values []float64
}

// htmlData is what the page reads.
type htmlData struct {
	Samples   int           `json:"samples"`
	Columns   int           `json:"columns"`
	Panels    []any         `json:"panels"`
	Shades    []string      `json:"shades"` // of classes, over and over
	Gap       string        `json:"gap"`    // of samples without a value
	Classes   *htmlClasses  `json:"classes,omitempty"`
	Values    []*htmlValues `json:"values,omitempty"` // what else can colour the samples
	First     int           `json:"first"`            // which of the values colours them first; −1: the classes, or nothing; −2: the groups of each panel
	Lines     int           `json:"lines,omitempty"`  // neighbours of each sample
	Neighbors string        `json:"neighbors,omitempty"`
	IDs       []string      `json:"ids,omitempty"`
	Images    *sheets       `json:"images,omitempty"`
}

// htmlClasses are the classes of the samples.
type htmlClasses struct {
	Of     string   `json:"of"`    // uint8, uint16 or uint32, base64
	Bytes  int      `json:"bytes"` // of each
	Names  []string `json:"names"`
	Styles []int    `json:"styles,omitempty"` // of each class
}

// htmlValues are numbers of the samples: as they are, or as codes that are enough for a colour.
type htmlValues struct {
	Name   string   `json:"name"`
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Shades []string `json:"shades"`          // from low to high
	Exact  string   `json:"exact,omitempty"` // float32, base64; NaN: no value
	Coded  string   `json:"coded,omitempty"` // uint8, base64, 0 for low and 254 for high; 255: no value
	// Neither: each panel has its own codes.
}

// htmlPoints is a panel of points that one can move in.
type htmlPoints struct {
	Title   string    `json:"title"`
	Y       string    `json:"y"`    // float32, base64, −1 … 1 in each column; NaN: not drawn
	Cols    int       `json:"cols"` // of y
	Mid     []float64 `json:"mid"`  // of each column
	Half    []float64 `json:"half"`
	Axes    []string  `json:"axes"`
	Equal   bool      `json:"equal"`
	Small   bool      `json:"small"`
	Classes bool      `json:"classes"` // the first column are classes
	Marked  []int     `json:"marked,omitempty"`

	Groups *htmlClasses `json:"groups,omitempty"` // of this panel alone
	Coded  []string     `json:"coded,omitempty"`  // for each of the values, its codes in this panel; empty: they are those of all panels, or there are none
}

// htmlDrawing is a panel that stays as it is.
type htmlDrawing struct {
	Title string `json:"title,omitempty"`
	SVG   string `json:"svg"`
}

// shadesOfValues are enough for the eye.
const shadesOfValues = 64

// gapCode is the code of a sample without a value.
const gapCode = 255

// WriteHTML writes the page as one file of HTML that reads no other. A panel that has nothing to show is an error.
func (p *Page) WriteHTML(w io.Writer) error {
	if err := p.check(); err != nil {
		return err
	}
	data := htmlData{Columns: p.columns(), Shades: hexes(draw.ClassColors), Gap: hexes([]color.NRGBA{draw.Gap})[0], First: -1}
	var points []*Scatter
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
		points = append(points, s)
	}
	if len(points) > 0 {
		if err := data.share(points); err != nil {
			return err
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
	_, err = io.WriteString(w, strings.NewReplacer("{{TITLE}}", title, "{{DATA}}", string(text), "{{SECTIONS}}", p.sections(), "{{MORE}}", p.Style).Replace(pageText()))
	return err
}

// sections are what is below the panels, in an element of its own.
func (p *Page) sections() string {
	if p.Sections == "" {
		return ""
	}
	return "<article>\n" + p.Sections + "</article>\n"
}

// share takes from the first panel of points what all have in common, and gives each its own groups and values.
func (d *htmlData) share(points []*Scatter) (err error) {
	s := points[0]
	d.Samples, _ = s.Y.Dims()
	if s.IDs != nil {
		d.IDs = allShown(s.IDs)
	}
	if s.Images != nil {
		if d.Images, err = s.Images.sheets(); err != nil {
			return err
		}
	}
	own := slices.ContainsFunc(points, func(other *Scatter) bool { return other.Colors != s.Colors })
	classes := s.classes()
	if own {
		classes, d.First = s.Groups, ownGroups
	}
	if classes != nil && classes.Classes != nil {
		d.Classes = classesOf(classes)
	}
	if s.Colors != nil && s.Colors.Classes == nil && !own {
		d.Values, d.First = append(d.Values, valuesOf("value", s.Colors, true)), 0
	}
	if err := d.colorings(points); err != nil {
		return err
	}
	each := d.panels()
	for at, panel := range points {
		if n, _ := panel.Y.Dims(); n != d.Samples {
			return fmt.Errorf("plot: %q has %d samples, and the first panel %d", panel.Title, n, d.Samples)
		}
		if own && panel.Colors != nil && panel.Colors.Classes != nil {
			each[at].Groups = classesOf(panel.Colors)
		}
	}
	if d.Samples > 0 && d.Samples <= maxLined && len(s.Neighbors) > 0 {
		d.Lines, d.Neighbors = len(s.Neighbors)/d.Samples, base64Of(s.Neighbors)
	}
	return nil
}

// ownGroups is the First of panels with groups of their own.
const ownGroups = -2

// panels are the panels of points.
func (d *htmlData) panels() (list []*htmlPoints) {
	for _, panel := range d.Panels {
		if p, are := panel.(*htmlPoints); are {
			list = append(list, p)
		}
	}
	return list
}

// colorings adds the numbers that can colour the samples. Those of the first panel are those of all, unless another panel has its own:
// then each panel has its own codes, and all have one scale.
func (d *htmlData) colorings(points []*Scatter) error {
	var names []string
	several := false
	for _, s := range points {
		several = several || len(s.Colorings) > 0 && !sameColorings(s.Colorings, points[0].Colorings)
		for _, c := range s.Colorings {
			if len(c.Values) != d.Samples {
				return fmt.Errorf("plot: %q has %d values for %d samples", c.Name, len(c.Values), d.Samples)
			}
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	each := d.panels()
	first := len(d.Values)
	for k, name := range names {
		var all []float64
		for _, s := range points {
			if c := s.coloring(name); c != nil && (several || s == points[0]) {
				all = append(all, finiteOf(c.Values)...)
			}
		}
		scale := draw.ByValues(all)
		if !several {
			d.Values = append(d.Values, valuesOf(visible.Text(name), scale, false))
			continue
		}
		shown := valuesOf(visible.Text(name), scale, false)
		shown.Coded = ""
		d.Values = append(d.Values, shown)
		for at, s := range points {
			if each[at].Coded == nil {
				each[at].Coded = make([]string, first+len(names))
			}
			if c := s.coloring(name); c != nil {
				each[at].Coded[first+k] = codedOf(finiteOf(c.Values), scale)
			}
		}
	}
	return nil
}

// sameColorings reports whether two panels have the same lists.
func sameColorings(a, b []Coloring) bool {
	return slices.EqualFunc(a, b, func(c, d Coloring) bool {
		return c.Name == d.Name && len(c.Values) == len(d.Values) && (len(c.Values) == 0 || &c.Values[0] == &d.Values[0])
	})
}

// coloring is the one of that name; nil: none.
func (s *Scatter) coloring(name string) *Coloring {
	for at := range s.Colorings {
		if s.Colorings[at].Name == name {
			return &s.Colorings[at]
		}
	}
	return nil
}

// classesOf are the classes of the samples for the page.
func classesOf(c *draw.Coloring) *htmlClasses {
	of := &htmlClasses{Names: allShown(c.Names), Styles: c.Styles}
	of.Of, of.Bytes = codesOf(c.Classes, len(c.Names))
	return of
}

// maxLined are the samples up to which a page holds their neighbours, which take more room than all else.
const maxLined = 100_000

// classes are those of the samples, nil for none.
func (s *Scatter) classes() *draw.Coloring {
	if s.Colors != nil && s.Colors.Classes != nil {
		return s.Colors
	}
	if s.Groups != nil && s.Groups.Classes != nil {
		return s.Groups
	}
	return nil
}

// codesOf are the classes of the samples in as few bytes as their number takes.
func codesOf(classes []int, count int) (text string, bytes int) {
	switch {
	case count <= 1<<8:
		return base64Of(converted[uint8](classes)), 1
	case count <= 1<<16:
		return base64Of(converted[uint16](classes)), 2
	}
	return base64Of(converted[uint32](classes)), 4
}

func converted[To uint8 | uint16 | uint32 | float32, From int | float64](list []From) []To {
	to := make([]To, len(list))
	for i, v := range list {
		to[i] = To(v)
	}
	return to
}

// finiteOf are numbers in which what is not finite is a gap.
func finiteOf(values []float64) []float64 {
	list := slices.Clone(values)
	for i, v := range list {
		if v-v != 0 {
			list[i] = math.NaN()
		}
	}
	return list
}

// valuesOf are the numbers of a colouring for the page.
func valuesOf(name string, c *draw.Coloring, exact bool) *htmlValues {
	v := &htmlValues{Name: name, Low: c.Low, High: c.High}
	for k := range shadesOfValues {
		v.Shades = append(v.Shades, hexes([]color.NRGBA{c.Shade((float64(k) + 0.5) / shadesOfValues)})...)
	}
	if exact {
		v.Exact = base64Of(converted[float32](c.Values))
		return v
	}
	v.Coded = codedOf(c.Values, c)
	return v
}

// codedOf are numbers as codes between the ends of a scale.
func codedOf(values []float64, scale *draw.Coloring) string {
	codes := make([]uint8, len(values))
	for i, value := range values {
		if value-value != 0 {
			codes[i] = gapCode
		} else if at := (value - scale.Low) / (scale.High - scale.Low); at-at == 0 {
			codes[i] = uint8(math.Round(at * (gapCode - 1)))
		} else {
			codes[i] = gapCode / 2 // all are one value
		}
	}
	return base64Of(codes)
}

// maxColumns are the coordinates that the page can show against each other.
const maxColumns = 20

// points are the samples for the page.
func (s *Scatter) points() *htmlPoints {
	n, d := s.Y.Dims()
	cols := min(max(d, 2), maxColumns)
	p := &htmlPoints{Title: visible.Text(s.Title), Cols: cols, Mid: make([]float64, cols), Half: make([]float64, cols), Equal: s.Equal && d > 1, Small: s.Small,
		Classes: d == 1 && s.Colors != nil && s.Colors.Classes != nil}
	at := func(i, j int) float64 { return s.Y.At(i, j) }
	if d == 1 {
		at = func(i, j int) float64 {
			x, y := s.at(i, 0, 1)
			return []float64{x, y}[j]
		}
	}
	list := make([]float32, n*cols)
	for q := range list {
		list[q] = float32(math.NaN())
	}
	for j := range cols {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range n {
			if s.finite(i) {
				low, high = min(low, at(i, j)), max(high, at(i, j))
			}
		}
		p.Mid[j], p.Half[j] = low/2+high/2, high/2-low/2
		for i := range n {
			if !s.finite(i) {
				continue
			}
			if list[i*cols+j] = 0; p.Half[j] > 0 {
				list[i*cols+j] = float32((at(i, j) - p.Mid[j]) / p.Half[j])
			}
		}
		p.Axes = append(p.Axes, visible.Text(s.axisName(j)))
	}
	if d == 1 {
		p.Axes[0], p.Axes[1] = s.names(0, 1)
	}
	p.Y, p.Marked = base64Of(list), s.Marked
	return p
}

// base64Of are numbers in little endian, as browsers on all but a few machines have them.
func base64Of[T uint8 | uint16 | uint32 | int32 | float32](list []T) string {
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

// allShown are texts of a page of HTML.
func allShown(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = visible.Text(text)
	}
	return list
}
