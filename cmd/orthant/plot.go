package main

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
)

// svgPoints is the number of points from which an .svg or a .pdf, which hold each of
// them, is slow to show.
const svgPoints = 50_000

// htmlPoints is the same for a page of HTML, on which they move.
const htmlPoints = 200_000

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
	points := &picture.Scatter{Y: r.Y, Colors: colors, Equal: engine.KeepsLengths(r.Method)}
	page := &picture.Page{Title: plotTitle(r), Panels: []picture.Panel{points}}
	if len(r.Objective) > 0 {
		page.Panels = append(page.Panels, &picture.Curve{Title: "convergence", XLabel: "iteration", YLabel: "objective", Y: r.Objective, Width: curveWidth})
	} else if curve := spectrumOf(r); curve != nil {
		page.Panels = append(page.Panels, curve)
	}
	return page, points
}

// curveWidth is that of a curve beside another panel.
const curveWidth = 366 * vg.Length(1)

// leastValues are worth a curve.
const leastValues = 5

// spectrumOf shows the eigenvalues, the next beyond the coordinates among them, where there are
// enough to see a gap; else nil.
func spectrumOf(r *engine.Result) *picture.Curve {
	values := slices.Clone(r.Values)
	d := len(values)
	if r.Next-r.Next == 0 {
		values = append(values, r.Next)
	}
	if len(values) < leastValues {
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
