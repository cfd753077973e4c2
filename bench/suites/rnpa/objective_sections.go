package rnpa

import "github.com/orthant-go/orthant/bench"

// descentSections has the counts of Theorem 1 and its curves.
func descentSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Theorem 1: the objective at every iteration",
		Text:  "LP-RNA on ORL, unit rows, 40 components, 200 iterations. (5) is Σ(1 − exp(−e²/2σ²)) + λ tr(WᵀΦW) with the σ² of the iteration; to the letter its kernel has the factor 1/(√(2π)σ), which changes with σ too. F is 2σ²Σ(1 − exp(−e²/2σ²)) + λ tr(WᵀΦW), which the updates lower while σ² is fixed. The weighted squares, Σ p·e² + λ tr(WᵀΦW) under the weights p of an iteration, are what its two half steps lower, and what the proof is about. Counted are the iterations that raise them by more than rounding can.",
		Table: &bench.Table{Columns: []string{"λ", "kernel", "(5) rises", "by at most", "F rises", "by at most", "weighted squares rise"}},
	}
	var curves []bench.Section
	for _, constant := range []bool{false, true} {
		kernel := map[bool]string{false: "without its factor", true: "with its factor"}[constant]
		for _, d := range descents(constant) {
			cell := func(key, format string) bench.Cell { return r.QualityCell(d.name(), key, format) }
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{
				bench.PlainCell(d.lambda), bench.PlainCell(kernel), cell("rises-objective", "%.0f"), cell("largest-objective", "%.2g"),
				cell("rises-surrogate", "%.0f"), cell("largest-surrogate", "%.2g"), cell("rises-held", "%.0f"),
			})
		}
	}
	for _, part := range []struct{ key, title string }{{"objective", "the objective (5)"}, {"surrogate", "the surrogate F"}} {
		plot := bench.Section{Title: "Theorem 1 (Fig. 14): " + part.title, Plot: &bench.Plot{XLabel: "iteration", YLabel: part.title + ", over that of the start", LogX: true, LogY: part.key == "surrogate"}}
		for _, d := range descents(false) {
			if c := traceOf(r, d.name(), part.key, "λ = "+d.lambda); len(c.X) > 0 {
				plot.Plot.Curves = append(plot.Plot.Curves, c)
			}
		}
		if len(plot.Plot.Curves) > 0 {
			curves = append(curves, plot)
		}
	}
	if len(curves) > 0 {
		curves[0].Text = "Every iteration of the runs without the factor, from the first on. (5) is drawn on its own axis: it moves little, and rises are seen there alone."
	}
	return append([]bench.Section{s}, curves...)
}
