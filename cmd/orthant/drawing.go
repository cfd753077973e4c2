package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
)

// drawing is what the command line says of a picture.
type drawing struct {
	plot, image    string
	color, palette string
	colorColumn    int

	shape picture.Images // of --image
}

// plotFormats names the formats of --plot in help texts.
func plotFormats() string {
	last := len(picture.Formats) - 1
	return strings.Join(picture.Formats[:last], ", ") + " or " + picture.Formats[last]
}

// define adds the flags that every picture has.
func (d *drawing) define(f *pflag.FlagSet, what string) {
	f.StringVar(&d.plot, "plot", "", "draw `FILE`, "+plotFormats()+": "+what)
	f.StringVar(&d.image, "image", "", "samples are images of `HxW` pixels, such as 32x32, or 32x32,columns where pixels come column by column: the picture shows them (a folder of images: their size)")
}

// defineColors adds the flags of a picture whose points can be coloured by a file.
func (d *drawing) defineColors(f *pflag.FlagSet) {
	f.StringVar(&d.color, "color", "", "`FILE` with numbers that colour the plot, in place of labels, or FILE:column of a table, or :column of the samples' own; gaps are grey")
	f.IntVar(&d.colorColumn, "color-column", 1, "the column `J` of that file, counting from 1")
	f.StringVar(&d.palette, "palette", "auto", "`COLOURS` of numbers: ramp, cyclic, whose ends are one colour, or auto: cyclic for angles all around, from 0 to 2π or −π to π")
}

// palettes are the words of --palette.
var palettes = []string{"auto", "ramp", "cyclic"}

// checkDrawing refuses what cannot be drawn, before anything is read.
func (inv *invocation) checkDrawing(d *drawing, flags *pflag.FlagSet) error {
	colored := flags.Lookup("color") != nil
	switch {
	case colored && d.colorColumn < 1:
		return wrong("--color-column is %d; columns count from 1", d.colorColumn)
	case colored && !slices.Contains(palettes, d.palette):
		return wrong("--palette is %q; give one of %s", d.palette, strings.Join(palettes, ", "))
	case d.plot == "" && (d.color != "" || flags.Changed("color-column") || flags.Changed("palette")):
		inv.warn("--color does nothing without --plot")
	case d.plot == "" && d.image != "":
		inv.warn("--image does nothing without --plot")
	case d.color == "" && flags.Changed("color-column"):
		inv.warn("--color-column does nothing without --color")
	}
	if d.image != "" {
		var err error
		if d.shape, err = picture.ParseImages(d.image); err != nil {
			return wrong("--image is %q; %w", d.image, err)
		}
	}
	if d.plot == "" {
		return nil
	}
	return checkPlotPath(d.plot)
}

// readColors reads the numbers that colour n samples, which the file of holds; t, where it
// is not nil, knows which of them are kept.
func (inv *invocation) readColors(d *drawing, t *tableFlags, n int, of string) (*draw.Coloring, error) {
	o := inv.readingOf(d.color)
	o.Missing = true // a sample without a value is grey
	values, err := files.ReadMatrix(d.color, o)
	if _, text := errors.AsType[*files.TextError](err); text {
		return nil, fmt.Errorf("%w; words are classes, which --labels %s shows", err, d.color)
	}
	if err != nil {
		return nil, err
	}
	rows, cols := values.Dims()
	if n > 0 && rows != n {
		return nil, wrong("%s has %d rows for the %d samples of %s; give one for each", d.color, rows, n, of)
	}
	if d.colorColumn > cols {
		return nil, wrong("--color-column is %d where %s has %s", d.colorColumn, d.color, counted(cols, "column"))
	}
	numbers := mat.Col(nil, d.colorColumn-1, values)
	if at := slices.IndexFunc(numbers, func(v float64) bool { return math.IsInf(v, 0) }); at >= 0 {
		return nil, wrong("%s: row %d, column %d (counting from 1) is %v, which no colour stands for; correct it, or leave the field empty", d.color, at+1, d.colorColumn, numbers[at])
	}
	if t != nil {
		numbers = keptOf(t, numbers)
	}
	colors := draw.ByValues(numbers)
	if d.palette == "cyclic" || d.palette == "auto" && aroundOf(colors) {
		colors.Cyclic = true
	}
	return colors, nil
}

// aroundOf reports whether numbers are angles all around.
func aroundOf(c *draw.Coloring) bool {
	const turn = 2 * math.Pi
	if c.High-c.Low < 0.95*turn || c.High-c.Low > turn*1.0001 {
		return false
	}
	return c.Low >= 0 && c.High <= turn*1.0001 || c.Low >= -math.Pi*1.0001 && c.High <= math.Pi*1.0001
}

// takeShape makes the shape of images that were read from files what --image says, where it says nothing.
func (d *drawing) takeShape(im *files.Images) {
	if im != nil && d.plot != "" && d.image == "" {
		d.image = fmt.Sprintf("%dx%d", im.Height, im.Width)
		d.shape = picture.Images{Height: im.Height, Width: im.Width}
	}
}

// takeShapeForPages does so where the picture is a page of HTML, which alone shows samples as images.
func (d *drawing) takeShapeForPages(im *files.Images) {
	if format, _ := picture.FormatOf(d.plot); format == ".html" {
		d.takeShape(im)
	}
}

// imagesOf are the samples as images; nil where these have no shape.
func (d *drawing) imagesOf(x mat.Matrix) (*picture.Images, error) {
	if d.image == "" || x == nil {
		return nil, nil
	}
	images, err := d.shape.Of(x)
	if err != nil {
		return nil, wrong("--image %s: %w", d.image, err)
	}
	return images, nil
}

// showImages gives the points their images, which a page of HTML shows.
func (inv *invocation) showImages(d *drawing, points *picture.Scatter, x mat.Matrix) (err error) {
	if points.Images, err = d.imagesOf(x); err != nil || points.Images == nil {
		return err
	}
	if format, _ := picture.FormatOf(d.plot); format != ".html" {
		inv.warn("--image shows the samples where one points at them, on a page of HTML; give --plot a file that ends in .html")
	}
	return nil
}

// drawPage writes the page, and reports one that holds too much.
func (inv *invocation) drawPage(d *drawing, page *picture.Page, to *files.Output) error {
	format, _ := picture.FormatOf(d.plot)
	for _, panel := range page.Panels {
		points, are := panel.(*picture.Scatter)
		if !are {
			continue
		}
		most := svgPoints
		if format == ".html" {
			most = htmlPoints
		}
		if n := points.Points(); n > most && format != ".png" {
			inv.warn("%s holds %d points and will be slow to show; use .png instead", d.plot, n)
			break
		}
	}
	return page.Write(to, format)
}

// samplesOnPlane are points for samples: at the coordinates in a file, or else at the first two
// principal components.
func (inv *invocation) samplesOnPlane(ctx context.Context, x mat.Matrix, embedding, standardize string) (*picture.Scatter, error) {
	if embedding != "" {
		o := inv.reading()
		o.AllowNonFinite = true // rows of NaN are samples without coordinates
		y, err := files.ReadMatrix(embedding, o)
		if err != nil {
			return nil, err
		}
		if x != nil {
			n, _ := x.Dims()
			if rows, _ := y.Dims(); rows != n {
				return nil, wrong("%s has %d rows for %d samples; give the embedding of these samples", embedding, rows, n)
			}
		}
		points := &picture.Scatter{Y: y}
		if n, _ := y.Dims(); points.Points() < n {
			inv.warn("%d of %s have no coordinates in %s and are not drawn", n-points.Points(), counted(n, "sample"), embedding)
		}
		return points, nil
	}
	if x == nil {
		return nil, wrong("--plot has no samples to draw, of which only the graph is known; give --embedding, their coordinates")
	}
	n, m := x.Dims()
	r, err := engine.Embed(ctx, x, engine.PCA{Dim: max(min(2, m, n-1), 1)}, engine.Options{Backend: inv.backend, Threads: inv.threads, Seed: inv.seed, Memory: int64(inv.memory), Standardize: standardize})
	if err != nil {
		return nil, fmt.Errorf("plot: principal components: %w; give --embedding, coordinates of the samples", err)
	}
	points := &picture.Scatter{Y: r.Y, Equal: true}
	nameComponents(points, r)
	return points, nil
}

// svgPoints is the number of points from which an .svg or a .pdf, which hold each of
// them, is slow to show.
const svgPoints = 50_000

// htmlPoints is the same for a page of HTML, which draws them by the graphics processor.
const htmlPoints = 2_000_000

// checkPlotPath refuses formats that are not there.
func checkPlotPath(path string) error {
	if _, known := picture.FormatOf(path); !known {
		return wrong("--plot is %q; give a file that ends in %s", path, strings.Join(picture.Formats, ", "))
	}
	return nil
}

// plotTitle says what the picture shows.
func plotTitle(r *engine.Result) string {
	title := r.Method + "  ·  " + placedOf(r.Y)
	if k, ok := r.Params["neighbors"]; ok && r.Components > 0 {
		title += fmt.Sprintf("  ·  k = %v", k)
	}
	return title
}

// placedOf counts the samples that are drawn, and those that have no coordinates.
func placedOf(y *mat.Dense) string {
	n, _ := y.Dims()
	placed := (&picture.Scatter{Y: y}).Points()
	if placed == n {
		return counted(n, "sample")
	}
	return fmt.Sprintf("%d of %s", placed, counted(n, "sample"))
}

// pictureOf shows an embedding, and of an iterative method how it converged.
func pictureOf(r *engine.Result, colors *draw.Coloring) (*picture.Page, *picture.Scatter) {
	points := &picture.Scatter{Y: r.Y, Colors: colors, Equal: engine.PreservesDistances(r.Method) || engine.IsMap(r.Method)}
	nameComponents(points, r)
	page := &picture.Page{Title: plotTitle(r), Panels: []picture.Panel{points}}
	if len(r.Objective) > 0 {
		curve := &picture.Curve{Title: "convergence", XLabel: "iteration", YLabel: "objective", Y: r.Objective, Falls: true, Width: curveWidth}
		if at, isMap := r.Details["objective_iterations"].([]int); isMap {
			for _, iteration := range at {
				curve.X = append(curve.X, float64(iteration))
			}
		}
		page.Panels = append(page.Panels, curve)
	} else if curve := spectrumOf(r); curve != nil {
		page.Panels = append(page.Panels, curve)
	}
	return page, points
}

// nameComponents names the coordinates of pca and the shares of the variance that they hold.
func nameComponents(points *picture.Scatter, r *engine.Result) {
	if r.Method == (engine.PCA{}).Name() {
		points.Shares, _ = r.Details["explained_variance_ratio"].([]float64)
	}
}

// curveWidth is the width of a curve next to another panel.
const curveWidth = 366 * vg.Length(1)

// minValues are worth a curve.
const minValues = 5

// spectrumOf shows the eigenvalues, the next beyond the coordinates among them, where there are
// enough to see a gap; else nil.
func spectrumOf(r *engine.Result) *picture.Curve {
	values := slices.Clone(r.Values)
	d := len(values)
	if r.Next-r.Next == 0 {
		values = append(values, r.Next)
	}
	if len(values) < minValues {
		return nil
	}
	curve := &picture.Curve{Title: "eigenvalues", XLabel: "number", YLabel: "eigenvalue", Y: values, Dots: true, Width: curveWidth}
	for i := range values {
		curve.X = append(curve.X, float64(i+1))
	}
	if len(values) > d {
		curve.Cut = float64(d) + 0.5
	}
	return curve
}
