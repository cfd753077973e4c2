package main

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// mostProfiles are the components that are drawn as curves.
const mostProfiles = 12

// draw shows the components, as images where they are some, else as curves over the features,
// and the objective.
func (f *factorization) draw(r *engine.Factorization, to *files.Output) error {
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s  ·  %s", r.Method, counted(r.Samples, "sample"), counted(r.Rank, "component"))}
	objective := &picture.Curve{Title: "convergence", XLabel: "iteration", YLabel: "objective", Width: curveWidth}
	for _, at := range r.Trace {
		objective.X, objective.Y = append(objective.X, float64(at.Iteration)), append(objective.Y, at.Objective)
	}
	f.takeShape(f.images)
	if f.image != "" {
		images, err := f.imagesOf(r.H)
		if err != nil {
			return err
		}
		page.Panels = append(page.Panels, &picture.Montage{Images: images})
		if len(objective.Y) > 1 {
			page.Panels = append(page.Panels, objective)
		}
		return f.drawPage(&f.drawing, page, to)
	}
	page.Columns = 3
	for i := range min(r.Rank, mostProfiles) {
		page.Panels = append(page.Panels, &picture.Curve{Title: fmt.Sprintf("component %d", i), XLabel: "feature", YLabel: "H", Y: r.H.RawRowView(i), Width: profileWidth, Height: profileHeight})
	}
	if r.Rank > mostProfiles {
		page.Title += fmt.Sprintf(", the first %d", mostProfiles)
	}
	if len(objective.Y) > 1 {
		objective.Width, objective.Height = profileWidth, profileHeight
		page.Panels = append(page.Panels, objective)
	}
	page.Columns = min(3, len(page.Panels))
	return f.drawPage(&f.drawing, page, to)
}

// The size of one component among others.
const profileWidth, profileHeight = 290 * vg.Length(1), 200 * vg.Length(1)
