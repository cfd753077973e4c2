package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/orthant-go/orthant/bench/draw"
	"github.com/orthant-go/orthant/engine"
)

// picture is a scatter plot of the first two coordinates of an embedding, or of
// its only one over what colours it: the value, the class, or failing both the
// number of the sample.
type picture struct {
	y      *mat.Dense
	colors *draw.Coloring // nil: one colour
	title  string
	curve  []float64 // an objective at the start and after each iteration; nil: none
}

// A picture is 600 × 450 pt, at 144 dots an inch 1200 × 900 pixels.
const (
	pictureWidth  = 600 * vg.Length(1)
	pictureHeight = 450 * vg.Length(1)
	pictureDPI    = 144
	// svgPoints is the number of points from which an .svg, which holds each of
	// them, is slow to show.
	svgPoints = 50_000
)

// checkPlotPath refuses formats that are not there.
func checkPlotPath(path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png", ".svg":
		return nil
	default:
		return wrong("--plot is %q; give a file that ends in .png or .svg", path)
	}
}

func isSVG(path string) bool { return strings.EqualFold(filepath.Ext(path), ".svg") }

// plotTitle says what the picture shows.
func plotTitle(r *engine.Result) string {
	title := fmt.Sprintf("%s  ·  %s", r.Method, counted(r.Samples, "sample"))
	if k, ok := r.Params["neighbors"]; ok && r.Components > 0 {
		title += fmt.Sprintf("  ·  k = %v", k)
	}
	return title
}

// at returns where sample i is drawn.
func (p *picture) at(i int) (x, y float64) {
	if _, d := p.y.Dims(); d > 1 {
		return p.y.At(i, 0), p.y.At(i, 1)
	}
	switch {
	case p.colors == nil:
		x = float64(i + 1)
	case p.colors.Classes == nil:
		x = p.colors.Values[i]
	default:
		// A strip a class, over whose width the golden ratio spreads the samples.
		_, spread := math.Modf(float64(i) * math.Phi)
		x = float64(p.colors.Classes[i]) + 0.6*(spread-0.5)
	}
	return x, p.y.At(i, 0)
}

// points counts the samples that have coordinates.
func (p *picture) points() int {
	count := 0
	n, _ := p.y.Dims()
	for i := range n {
		if x, y := p.at(i); x-x == 0 && y-y == 0 {
			count++
		}
	}
	return count
}

// write draws the picture in its format.
func (p *picture) write(w io.Writer, svg bool) error {
	if p.points() == 0 {
		return errors.New("plot: no sample has finite coordinates")
	}
	return writePicture(w, svg, p.width(), p.draw)
}

// writePicture draws a picture in its format.
func writePicture(w io.Writer, svg bool, width vg.Length, draw func(vgdraw.Canvas)) error {
	if svg {
		canvas := vgsvg.New(width, pictureHeight)
		draw(vgdraw.New(canvas))
		var text bytes.Buffer
		if _, err := canvas.WriteTo(&text); err != nil {
			return err
		}
		// Where the font is missing, a viewer should take a sans serif of its own.
		_, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
		return err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, pictureHeight), vgimg.UseDPI(pictureDPI))
	draw(vgdraw.New(canvas))
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(w, canvas.Image())
}

var (
	ink   = color.NRGBA{0x2b, 0x2f, 0x36, 0xff}
	faint = color.NRGBA{0x8d, 0x93, 0x9c, 0xff}
	grid  = color.NRGBA{0xec, 0xee, 0xf1, 0xff}
)

// pictureMargin is left white around what is drawn.
const pictureMargin = 16

// paper fills the canvas and returns what is within the margins.
func paper(c vgdraw.Canvas) vgdraw.Canvas {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	return vgdraw.Crop(c, pictureMargin, -pictureMargin, pictureMargin, -pictureMargin)
}

// draw lays the picture out: the scatter, and beside it what the colours mean.
func (p *picture) draw(c vgdraw.Canvas) {
	c = paper(c)
	if len(p.curve) > 0 {
		drawCurve(vgdraw.Crop(c, pictureWidth-pictureMargin, 0, 0, 0), p.curve)
		c = vgdraw.Crop(c, 0, -curveWidth, 0, 0)
	}
	axes := newAxes(p.title)
	p.name(axes)
	axes.Add(scatter{p})
	right := keyWidth(p.colors)
	main := vgdraw.Crop(c, 0, -right, 0, 0)
	axes.Draw(main)
	if right > 0 {
		data := axes.DataCanvas(main)
		key := data
		key.Min.X, key.Max.X = c.Max.X-right+14, c.Max.X
		drawKey(key, p.colors)
	}
}

// name writes at the axes what they show.
func (p *picture) name(axes *plot.Plot) {
	_, d := p.y.Dims()
	axes.X.Label.Text, axes.Y.Label.Text = "coordinate 1", "coordinate 2"
	if d > 1 {
		return
	}
	axes.Y.Label.Text = "coordinate 1"
	switch {
	case p.colors == nil:
		axes.X.Label.Text = "sample"
	case p.colors.Classes == nil:
		axes.X.Label.Text = "colour"
	default:
		axes.X.Label.Text = "class"
		axes.X.Tick.Marker = plot.ConstantTicks(keyEntries(p.colors))
	}
}

// newAxes returns an empty plot in this command's style: thin lines, sans serif.
func newAxes(title string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	style := func(s *vgdraw.TextStyle, size vg.Length, c color.Color) {
		s.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
		s.Color = c
	}
	p.Title.Text, p.Title.Padding = title, 12
	style(&p.Title.TextStyle, 13, ink)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		style(&axis.Label.TextStyle, 11, ink)
		style(&axis.Tick.Label, 9, faint)
		axis.Label.Padding, axis.Padding = 6, 0
		axis.LineStyle.Width, axis.LineStyle.Color = 0.6, faint
		axis.Tick.LineStyle.Width, axis.Tick.LineStyle.Color = 0.6, faint
		axis.Tick.Length = 4
		axis.Tick.Marker = plot.TickerFunc(roundTicks)
	}
	return p
}

// roundTicks marks round numbers, between four and eight of them.
func roundTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range draw.RoundTicks(low, high) {
		ticks = append(ticks, plot.Tick{Value: t.Value, Label: t.Label})
	}
	return ticks
}

// scatter draws the points over a light grid.
type scatter struct{ *picture }

// DataRange returns the range of the points, a little widened so that none lies
// on an axis.
func (s scatter) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	n, _ := s.y.Dims()
	for i := range n {
		if x, y := s.at(i); x-x == 0 && y-y == 0 {
			xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, y), max(ymax, y)
		}
	}
	dx, dy := 0.03*(xmax-xmin), 0.03*(ymax-ymin)
	return xmin - dx, xmax + dx, ymin - dy, ymax + dy
}

func (s scatter) Plot(c vgdraw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	drawGrid(c, p)
	glyph := vgdraw.GlyphStyle{Radius: pointRadius(s.points()), Shape: vgdraw.CircleGlyph{}}
	n, _ := s.y.Dims()
	for i := range n {
		x, y := s.at(i)
		if x-x != 0 || y-y != 0 {
			continue
		}
		shade := s.colors.Of(i)
		shade.A = pointOpacity
		glyph.Color = shade
		c.DrawGlyphNoClip(glyph, vg.Point{X: toX(x), Y: toY(y)})
	}
}

// pointOpacity lets dense places show.
const pointOpacity = 0xd0

// pointRadius shrinks the points as their number grows: about a quarter of
// the area is covered, within what can be seen.
func pointRadius(n int) vg.Length {
	return vg.Length(min(max(math.Sqrt(0.25*500*350/(math.Pi*float64(n))), 0.8), 3))
}
