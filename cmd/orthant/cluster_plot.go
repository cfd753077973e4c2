package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// draw shows the clusters as colours of the samples, with exemplars ringed.
func (c *clustering) draw(ctx context.Context, x mat.Matrix, r *engine.Clustering, to *files.Output) error {
	c.takeShapeForPages(c.images)
	points, err := c.samplesOnPlane(ctx, x, c.embedding, c.options.Standardize)
	if err != nil {
		return err
	}
	if n, _ := points.Y.Dims(); n != len(r.Labels) {
		return wrong("%s has %d rows for %d samples; give the embedding of these samples", c.embedding, n, len(r.Labels))
	}
	points.Colors, points.Marked, points.IDs = picture.ByClasses(r.Labels, nil), r.Exemplars, c.table.ids
	if err := c.showImages(&c.drawing, points, x); err != nil {
		return err
	}
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s  ·  %s", r.Method, counted(r.Samples, "sample"), counted(r.Clusters, "cluster")), Panels: []picture.Panel{points}}
	return c.drawPage(&c.drawing, page, to)
}
