package main

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// drawRuns adds a picture of many runs to the outputs.
func (f *factorization) drawRuns(panels []picture.Panel, out *outputs) error {
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s of each rank", f.method, counted(f.many.runs, "run")), Panels: panels}
	o, err := files.CreateRaw(f.many.plot, nil)
	if err != nil {
		return err
	}
	*out = append(*out, o)
	format, _ := picture.FormatOf(f.many.plot)
	return page.Write(o, format)
}

// rankCurve shows a number of each rank.
func rankCurve(ranks, values []float64, label string) *picture.Curve {
	return &picture.Curve{XLabel: "rank", YLabel: label, X: ranks, Y: values, Dots: true}
}

// rankPanels show the stability and the error of each rank, side by side.
func rankPanels(ranks, stability, errors []float64) []picture.Panel {
	first, second := rankCurve(ranks, stability, "stability (silhouette)"), rankCurve(ranks, errors, "error ‖X − WH‖²")
	first.Width, second.Width = 470*vg.Length(1), 470*vg.Length(1)
	return []picture.Panel{first, second}
}
