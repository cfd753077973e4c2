package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/cmd/internal/report"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/sparse"
)

type (
	embedReport = report.Embed
	iterated    = report.Iterated
	span        = report.Span
)

// iterations returns nil for a method that has none.
func iterations(r *engine.Result) *iterated {
	if len(r.Objective) == 0 {
		return nil
	}
	trace := numbers(r.Objective)
	return &iterated{Objective: span{First: trace[0], Last: trace[len(trace)-1]}, Trace: trace, Orthogonality: number(r.Orthogonality), Iterations: r.Iterations, KKT: number(r.KKT)}
}

func (e *embedding) report(r *engine.Result) error {
	c := e.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	if e.json {
		return e.printJSON(embedReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Dim: r.Dim, Sparse: r.Sparse,
			Eigenvalues: numbers(r.Values), Residuals: numbers(r.Residuals), Next: number(r.Next), Converged: r.Converged, Iterated: iterations(r), Quality: r.Quality,
			Components: r.Components, Sizes: list(r.Sizes), Duplicates: r.Duplicates, Seed: e.seed,
			Out: e.out, Plot: e.plot, Model: e.model, Details: finite(r.Details), Classes: e.classes, Plan: r.Plan, Solves: r.Solves, Products: r.Products, Angle: number(r.Angle),
			Explanation: e.explanation(), Cost: c, Machine: e.machine(),
		})
	}
	w := e.say()
	writeEmbedding(w, r)
	writeVerdict(w, r.Quality, r.Warnings)
	writeCost(w, c)
	writeWritten(w, e.out, e.plot, e.model)
	return nil
}

// writeEmbedding prints the lines about the embedding itself.
func writeEmbedding(w io.Writer, r *engine.Result) {
	line(w, r.Method, "%s", pairs(r.Params))
	kept := ""
	if r.Sparse {
		kept = ", kept sparse"
	}
	line(w, "data", "%s → %s%s", shapeOf(r.Samples, r.Features), counted(r.Dim, "dimension"), kept)
	if r.Components > 0 {
		writeComponents(w, r.Components, r.Sizes)
	}
	writeScale(w, r.Details)
	if c, ok := r.Details["certificate"].(*sparse.Certificate); ok {
		line(w, "certified", "%s", c)
	}
	if recall, ok := r.Details["recall"].(float64); ok {
		line(w, "recall", "%.4f of the true neighbours, measured", recall)
	}
	if len(r.Objective) > 0 {
		how := "converged"
		if !r.Converged {
			how = "not converged"
		}
		line(w, "iterations", "%d, %s", r.Iterations, how)
		line(w, "objective", "%.6g, at the start %.6g", r.Objective[len(r.Objective)-1], r.Objective[0])
		line(w, "residual", "%.3g of the conditions for a minimum", r.KKT)
		line(w, "columns", "‖UᵀU − I‖ = %.3g", r.Orthogonality)
		return
	}
	var values []string
	for _, v := range r.Values[:min(len(r.Values), 8)] {
		values = append(values, fmt.Sprintf("%.4g", v))
	}
	text := strings.Join(values, "  ")
	if !math.IsNaN(r.Next) {
		text += fmt.Sprintf("  then %.4g", r.Next)
	}
	if len(r.Residuals) > 0 {
		text += fmt.Sprintf("  (residual ≤ %.1e)", slices.Max(r.Residuals))
	}
	line(w, "eigen", "%s", text)
	if shares, ok := r.Details["explained_variance_ratio"].([]float64); ok {
		writeShares(w, shares)
	}
}

// writeShares prints the shares of the variance that the coordinates explain.
func writeShares(w io.Writer, shares []float64) {
	const most = 8
	var each []string
	var sum float64
	for i, v := range shares {
		if sum += v; i < most {
			each = append(each, fmt.Sprintf("%.2f %%", 100*v))
		}
	}
	if len(shares) > most {
		each = append(each, "…")
	}
	text := strings.Join(each, ", ") + " of the variance"
	if len(shares) > 1 {
		text += fmt.Sprintf("; together %.2f %%", 100*sum)
	}
	line(w, "explained", "%s", text)
}

// writeVerdict prints the line about what was measured; its sentence
// may have been a warning.
func writeVerdict(w io.Writer, q *engine.Quality, warnings []string) {
	text := string(q.Verdict)
	switch {
	case q.Sentence != "" && slices.Contains(warnings, q.Sentence):
		text += ", see the warning"
	case q.Verdict == engine.NotJudged:
		for i, check := range q.NotJudged {
			text += [2]string{": ", "; "}[min(i, 1)] + check.What + ", because " + check.Why
		}
	}
	if !math.IsNaN(q.Even) {
		text += fmt.Sprintf("; even to %.2g in %d charts", q.Even, q.Charts)
	}
	if !math.IsNaN(q.NeighborsKept) {
		text += fmt.Sprintf("; neighbours kept: %.2g", q.NeighborsKept)
	}
	line(w, "verdict", "%s", text)
}

// writeScale prints what was found of the dimension and of the scale of neighbourhoods.
func writeScale(w io.Writer, details map[string]any) {
	if d, ok := details["dim_found"].(int); ok {
		line(w, "dim", "%d: %v", d, details["dim_reason"])
	}
	if k, ok := details["neighbors_found"].(int); ok {
		line(w, "neighbors", "%d, %v", k, details["neighbors_reason"])
	}
	if r, ok := details["radius_found"].(float64); ok {
		line(w, "radius", "%.6g, found from the samples", r)
	}
	switch moved, asked := details["denoised"].(bool); {
	case !asked:
	case moved && details["noise"] != nil:
		line(w, "denoised", "noise %.4g off the surface, planes of %d neighbours", details["noise"], details["denoise_neighbors"])
	case moved:
		line(w, "denoised", "planes of %d neighbours", details["denoise_neighbors"])
	default:
		line(w, "denoised", "no: %v", details["denoise_reason"])
	}
}
