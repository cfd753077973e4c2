package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// draw shows the exemplars ringed among the samples, and of images as images.
func (s *selecting) draw(ctx context.Context, x *mat.Dense, r *engine.Selection, to *files.Output) error {
	s.takeShape(s.images)
	points, err := s.samplesOnPlane(ctx, x, s.embedding, s.options.Standardize)
	if err != nil {
		return err
	}
	points.Marked, points.IDs = slices.Clone(r.Indices), s.table.ids
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s of %s", r.Method, counted(len(r.Indices), "exemplar"), counted(r.Samples, "sample"))}
	if points.Images, err = s.imagesOf(x); err != nil {
		return err
	}
	if points.Images != nil {
		page.Panels = append(page.Panels, &picture.Montage{Images: points.Images, Rows: r.Indices})
	}
	page.Panels = append(page.Panels, points)
	return s.drawPage(&s.drawing, page, to)
}
