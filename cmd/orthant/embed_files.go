package main

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench/draw"
	"github.com/orthant-go/orthant/cmd/orthant/picture"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// read reads the samples and the numbers that colour the plot.
func (e *embedding) read() (mat.Matrix, *draw.Coloring, error) {
	defer e.clock.Phase("read")()
	n, of, err := e.readStructure(e.structure, &e.options)
	if err != nil {
		return nil, nil, err
	}
	var x mat.Matrix
	if e.in != "" {
		of = e.in
		if x, err = e.table.read(e.invocation, e.in, e.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(e.in, o) }); err != nil {
			return nil, nil, err
		}
		e.options.Overwrite = true // it is this run's alone
		n = e.table.total
	}
	var colors *draw.Coloring
	if e.labels != "" {
		labels, names, err := e.readLabels(e.labels, of, n)
		if err != nil {
			return nil, nil, err
		}
		labels = keptOf(&e.table, labels)
		colors, e.options.Labels, e.classes = picture.ByClasses(labels, names), labels, names
	}
	if e.init != "" {
		if e.options.Init, err = files.ReadMatrix(e.init, e.reading()); err != nil {
			return nil, nil, err
		}
	}
	if e.color != "" && e.plot != "" {
		values, err := files.ReadMatrix(e.color, e.reading())
		if err != nil {
			return nil, nil, err
		}
		rows, cols := values.Dims()
		if rows != n {
			return nil, nil, wrong("%s has %d rows for the %d samples of %s; give one for each", e.color, rows, n, of)
		}
		if e.colorColumn > cols {
			return nil, nil, wrong("--color-column is %d where %s has %s", e.colorColumn, e.color, counted(cols, "column"))
		}
		colors = draw.ByValues(keptOf(&e.table, mat.Col(nil, e.colorColumn-1, values)))
	}
	return x, colors, nil
}

// writeOutputs writes everything before it commits anything.
func (e *embedding) writeOutputs(ctx context.Context, r *engine.Result, colors *draw.Coloring, out, plot, model *files.Output) error {
	defer e.clock.Phase("write")()
	if plot != nil {
		page, points := pictureOf(r, colors)
		format, _ := picture.FormatOf(e.plot)
		if n := points.Points(); n > svgPoints && format != ".png" {
			e.warn("%s holds %d points and will be slow to show; a .png is better for so many", e.plot, n)
		}
		if err := page.Write(plot, format); err != nil {
			return err
		}
	}
	if out != nil {
		e.table.title(e.invocation, out, coordinateNames(r.Method, r.Dim), e.table.ids)
		if err := out.WriteMatrix(r.Y, e.writing()); err != nil {
			return err
		}
	}
	if model != nil {
		if err := saveModel(r, model); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.commit()
}
