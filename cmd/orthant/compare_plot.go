package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
)

// comparedPlot is the page of all embeddings.
type comparedPlot struct {
	output *files.Output
	folder string // of the embeddings
	colors *draw.Coloring
}

// newPlot reads what colours the samples before the work begins, and creates the file.
func (c *comparison) newPlot(folder string) (*comparedPlot, error) {
	if c.table.id != "" || c.table.missing == "drop" { // which rows are left, and how they are called
		quiet := *c.invocation // the jobs tell of what is left out
		quiet.quiet = true
		if _, err := c.table.read(&quiet, c.in, c.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) }); err != nil {
			return nil, err
		}
	}
	colors, err := c.coloring()
	if err != nil {
		return nil, err
	}
	o, err := c.createRaw(c.plot)
	return &comparedPlot{o, folder, colors}, err
}

// draw puts a row of panels for each method, and a column for each number of neighbours.
func (p *comparedPlot) draw(c *comparison, rows []*comparedRow) error {
	colors := p.colors
	page := &picture.Page{Title: filepath.Base(c.in) + "  ·  " + c.measured()[0].metric + " after each name", Columns: c.columnsOfPlot(), Colors: colors}
	images, err := c.comparedImages()
	if err != nil {
		return err
	}
	for _, row := range rows {
		panel := &picture.Scatter{Title: row.run.name(), Colors: colors, Equal: engine.KeepsLengths(row.Method), Small: len(rows) > fewPanels, Bare: len(rows) <= fewPanels, Images: images, IDs: c.table.ids}
		if row.Status == jobFailed {
			page.Panels = append(page.Panels, &picture.Note{Title: panel.Title, Text: "failed: " + row.Error})
			continue
		}
		o := c.reading()
		o.AllowNonFinite = true // rows of NaN are samples without coordinates
		if panel.Y, err = files.ReadMatrix(row.run.path(p.folder), o); err != nil {
			return err
		}
		if n := panel.Y.RawMatrix().Rows; colors != nil && max(len(colors.Classes), len(colors.Values)) != n {
			return wrong("%s has %d rows for the %d samples of %s; give one for each", c.colorFile(), max(len(colors.Classes), len(colors.Values)), n, c.in)
		}
		if v, known := row.Values[c.measured()[0].metric]; known {
			panel.Title += fmt.Sprintf("  ·  %.3f", float64(v))
		}
		if row.Left > 0 {
			panel.Title += "  ·  " + placedOf(panel.Y)
		}
		page.Panels = append(page.Panels, panel)
		for range page.Columns - 1 {
			if row.Neighbors == 0 && c.grid() {
				page.Panels = append(page.Panels, &picture.Note{})
			}
		}
	}
	if err := c.drawPage(&c.drawing, page, p.output); err != nil {
		return err
	}
	return c.commit()
}

// fewPanels are drawn with their axes.
const fewPanels = 3

// grid tells whether each method has a row of its own.
func (c *comparison) grid() bool {
	return len(c.counts) > 1 && slices.ContainsFunc(c.runs, func(r *compared) bool { return r.k > 0 })
}

// columnsOfPlot is the number of panels beside each other.
func (c *comparison) columnsOfPlot() int {
	if c.grid() {
		return len(c.counts)
	}
	return min(len(c.runs), 4)
}

// coloring is what colours the samples: --color, else the labels.
func (c *comparison) coloring() (*draw.Coloring, error) {
	if c.color != "" {
		return c.readColors(&c.drawing, &c.table, 0, "")
	}
	if c.labels == "" {
		return nil, nil
	}
	labels, names, err := files.ReadClasses(c.labels, c.table.besideOptions(c.invocation, c.labels))
	if err != nil {
		return nil, err
	}
	return picture.ByClasses(keptOf(&c.table, labels), names), nil
}

// colorFile is the file that colours come from.
func (c *comparison) colorFile() string {
	if c.color != "" {
		return c.color
	}
	return c.labels
}

// comparedImages are the samples as images, for a page of HTML.
func (c *comparison) comparedImages() (*picture.Images, error) {
	if format, _ := picture.FormatOf(c.plot); c.image == "" && (format != ".html" || !files.IsImages(c.in)) {
		return nil, nil
	}
	quiet := *c.invocation
	quiet.quiet = true
	x, err := c.table.read(&quiet, c.in, c.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) })
	if err != nil {
		return nil, err
	}
	c.takeShape(quiet.images)
	return c.imagesOf(x)
}
