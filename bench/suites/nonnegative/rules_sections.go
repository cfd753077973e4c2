package nonnegative

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// How the rules are shown.

func ruleSections(r *bench.Records) []bench.Section {
	return []bench.Section{npcaRuleSection(r), minimizerSection(r)}
}

func npcaRuleSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The rules for a maximum: NPCA on digits",
		Text:  "500 digits (USPS, the first 50 of each class) scaled so that the largest eigenvalue is 1, P = 5, 500 iterations; over eight starts. The trace is that of the rounded directions. The plot shows how far from orthonormal the directions are in 1000 steps of each rule: the penalty's weight doubles six times. References are of other digits.",
		Table: &bench.Table{Columns: []string{"rule", "‖UᵀU − I‖", "reference", "rounded trace", "reference"}},
		Plot:  &bench.Plot{XLabel: "iteration", YLabel: "‖UᵀU − I‖", LogX: true, LogY: true},
	}
	for _, rule := range npcaRules {
		names := npcaRuleNames(rule.name)
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(rule.title), span(r, names, "orthogonality", "%.2f", 1), bench.ReferenceCell(rule.reference[0]), span(r, names, "rounded", "%.2f", 1), bench.ReferenceCell(rule.reference[1])})
	}
	s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell("pca"), bench.PlainCell("0"), bench.PlainCell(""), r.QualityCell(digitsPCA, "sum", "%.2f"), bench.ReferenceCell("3.91")})
	for _, update := range []string{"paper", "penalty"} {
		if name := stepsName(update); r.Get(name) != nil {
			s.Plot.Curves = append(s.Plot.Curves, byIteration(r, name, "orthogonality", update, 1))
		}
	}
	return s
}

func minimizerSection(r *bench.Records) bench.Section {
	s := bench.Section{
		Title: "The rules for a minimum, on digits",
		Text:  "The same digits, k = 12, P = 5, 500 iterations, over four starts: the objective of the rounded solution over the largest eigenvalue of its matrix (NLE: of the normalised Laplacian, as it is), by the paper's rule on σI − M and by the penalty, and the signed optimum that bounds it. References are of other digits.",
		Table: &bench.Table{Columns: []string{"method", "shifted", "reference", "penalty", "reference", "signed optimum", "‖UᵀU − I‖, shifted", "penalty"}},
	}
	for _, m := range minimizers {
		paper, penalty, scale := minimizerNames(m.name, "paper"), minimizerNames(m.name, "penalty"), 1.0
		if sigma, found := r.Quality(paper[0], "sigma"); found && m.margin > 0 {
			scale = m.margin / sigma
		}
		bound := span(r, []string{signedName(m.signed)}, "sum", "%.4f", scale)
		s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(m.name), span(r, paper, "rounded", "%.4f", scale), bench.ReferenceCell(m.reference[0]), span(r, penalty, "rounded", "%.4f", scale), bench.ReferenceCell(m.reference[1]),
			bound, span(r, paper, "orthogonality", "%.3f", 1), span(r, penalty, "orthogonality", "%.3f", 1)})
	}
	return s
}

// span is a cell with the least and the largest of a quality over some cases.
func span(r *bench.Records, names []string, key, format string, scale float64) bench.Cell {
	values, found := r.Qualities(key, names...)
	if len(found) == 0 {
		return bench.Cell{Text: "–", Case: names[0], Mark: bench.Absent}
	}
	low, high := ends(values)
	text := fmt.Sprintf(format, low*scale)
	if most := fmt.Sprintf(format, high*scale); most != text {
		text += "–" + most
	}
	return bench.Cell{Text: text, Case: found[0]}
}
