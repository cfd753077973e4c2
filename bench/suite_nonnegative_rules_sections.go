package bench

import "fmt"

// How the rules are shown.

func ruleSections(r *Records) []Section {
	return []Section{r.npcaRuleSection(), r.minimiserSection()}
}

func (r *Records) npcaRuleSection() Section {
	s := Section{
		Title: "The rules for a maximum: NPCA on digits",
		Text:  "500 digits (USPS, the first 50 of each class) scaled so that the largest eigenvalue is 1, P = 5, 500 iterations; over eight starts. The trace is that of the rounded directions. The plot shows how far from orthonormal the directions are in 1000 steps of each rule: the penalty's weight doubles six times. References are of other digits.",
		Table: &Table{Columns: []string{"rule", "‖UᵀU − I‖", "reference", "rounded trace", "reference"}},
		Plot:  &Plot{XLabel: "iteration", YLabel: "‖UᵀU − I‖", LogX: true, LogY: true},
	}
	for _, rule := range npcaRules {
		names := npcaRuleNames(rule.name)
		s.Table.Rows = append(s.Table.Rows, []Cell{plain(rule.title), r.span(names, "orthogonality", "%.2f", 1), reference(rule.reference[0]), r.span(names, "rounded", "%.2f", 1), reference(rule.reference[1])})
	}
	s.Table.Rows = append(s.Table.Rows, []Cell{plain("pca"), plain("0"), plain(""), r.figure(digitsPCA, "sum", "%.2f"), reference("3.91")})
	for _, update := range []string{"paper", "penalty"} {
		if name := stepsName(update); r.Get(name) != nil {
			s.Plot.Curves = append(s.Plot.Curves, r.byIteration(name, "orthogonality", update, 1))
		}
	}
	return s
}

func (r *Records) minimiserSection() Section {
	s := Section{
		Title: "The rules for a minimum, on digits",
		Text:  "The same digits, k = 12, P = 5, 500 iterations, over four starts: the objective of the rounded solution over the largest eigenvalue of its matrix (NLE: of the normalised Laplacian, as it is), by the paper's rule on σI − M and by the penalty, and the signed optimum that bounds it. References are of other digits.",
		Table: &Table{Columns: []string{"method", "shifted", "reference", "penalty", "reference", "signed optimum", "‖UᵀU − I‖, shifted", "penalty"}},
	}
	for _, m := range minimisers {
		paper, penalty, scale := minimiserNames(m.name, "paper"), minimiserNames(m.name, "penalty"), 1.0
		if sigma, found := r.Quality(paper[0], "sigma"); found && m.margin > 0 {
			scale = m.margin / sigma
		}
		bound := r.span([]string{signedName(m.signed)}, "sum", "%.4f", scale)
		s.Table.Rows = append(s.Table.Rows, []Cell{plain(m.name), r.span(paper, "rounded", "%.4f", scale), reference(m.reference[0]), r.span(penalty, "rounded", "%.4f", scale), reference(m.reference[1]),
			bound, r.span(paper, "orthogonality", "%.3f", 1), r.span(penalty, "orthogonality", "%.3f", 1)})
	}
	return s
}

// span is a cell with the least and the largest of a quality over some cases.
func (r *Records) span(names []string, key, format string, scale float64) Cell {
	values, found := r.have(key, names...)
	if len(found) == 0 {
		return Cell{Text: "–", Case: names[0], Mark: Absent}
	}
	low, high := ends(values)
	text := fmt.Sprintf(format, low*scale)
	if most := fmt.Sprintf(format, high*scale); most != text {
		text += "–" + most
	}
	return Cell{Text: text, Case: found[0]}
}
