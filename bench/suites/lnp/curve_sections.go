package lnp

import (
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// sections show the figures of a closed curve, one after the other.
func (q closedCurve) sections(r *bench.Records, title, figures string, last int, text, color string) []bench.Section {
	same := func(x chooser) string { return q.name(x) }
	own := byPrinted // the estimates of LNP are of its uncapped lists
	own.name, own.dashed = byLNP.name, false
	uncapped := []chooser{byLLE, byLE, bySMCE, own}
	dims := &bench.Table{Columns: slices.Clone(tableByK(r, "gap", "%.0f", last, nil, same).Columns)}
	for _, kind := range []struct{ key, name string }{{"gap", "largest gap"}, {"support", "support"}, {"most-neighbours", "longest list"}} {
		methods := uncapped
		if kind.key == "most-neighbours" {
			methods = []chooser{bySMCE, byLNP, byPrinted}
		}
		for i, row := range tableByK(r, kind.key, "%.0f", last, methods, same).Rows {
			row[0].Text = kind.name + ", " + methods[i].name
			dims.Rows = append(dims.Rows, row)
		}
	}
	gaps := plotByK(r, "gap", "dimension by the largest gap", uncapped, same)
	gaps.LogY = true
	return []bench.Section{
		{
			Title: title + ": rings (" + figures + ")", Text: text + "\n\nThe share of samples whose two nearest in the embedding are the two beside them along the curve.",
			Table: tableByK(r, "ring", "%.2f", last, embedders, same), Plot: plotByK(r, "ring", "ring", embedders, same), Pictures: q.pictures(color, embedders),
		},
		{
			Title: title + ": nalac", Text: "The share of neighbours that are the same in the data and in the embedding, rank by rank.",
			Table: tableByK(r, "nalac", "%.2f", last, embedders, same), Plot: plotByK(r, "nalac", "nalac", embedders, same),
		},
		{
			Title: title + ": soft-nalac", Text: "The same as sets. Where a method takes all of the K nearest this tends to 1 as K grows, in any embedding.",
			Table: tableByK(r, "soft-nalac", "%.2f", last, embedders, same), Plot: plotByK(r, "soft-nalac", "soft-nalac", embedders, same),
		},
		q.citedSection(r, title, last),
		{
			Title: title + ": dimension",
			Text:  "The dimension by the largest gap in the mean sorted weights (eqs 8 and 9), by the most frequent number of weights that matter (support, ours), and the longest list of neighbours. The curve has dimension 1. The estimates of LNP are from the uncapped lists.",
			Table: dims, Plot: gaps,
		},
	}
}
