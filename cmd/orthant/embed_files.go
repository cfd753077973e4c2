package main

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
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
		e.takeShapeForPages(e.images)
		e.options.Overwrite = e.image == "" // it is this run's alone, but for the images that are shown
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
		if colors, err = e.readColors(&e.drawing, &e.table, n, of); err != nil {
			return nil, nil, err
		}
	}
	return x, colors, nil
}

// writeOutputs writes everything before it commits anything.
func (e *embedding) writeOutputs(ctx context.Context, x mat.Matrix, r *engine.Result, colors *draw.Coloring, out, plot, model *files.Output) error {
	defer e.clock.Phase("write")()
	if plot != nil {
		page, points := pictureOf(r, colors)
		points.IDs = e.table.ids
		if err := e.showImages(&e.drawing, points, x); err != nil {
			return err
		}
		if err := e.drawPage(&e.drawing, page, plot); err != nil {
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
