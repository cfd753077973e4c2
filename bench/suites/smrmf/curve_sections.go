package smrmf

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

// curveSections show what has no table in the paper: both sweeps, and the passes.
func curveSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	for _, p := range sweeps {
		s := bench.Section{
			Title: "Accuracy against " + p.title,
			Text:  "The best of the grid of λ, chosen by the labels; of 10DMoons the median over three drawn sets. The paper has no such sweep: its rule is 1 on the axis of k and 0.1 on that of τ, 0.8 for 10DMoons.",
			Plot:  &bench.Plot{XLabel: p.title, YLabel: "accuracy", LogX: true},
			Table: &bench.Table{Columns: []string{"set", "method"}},
		}
		for _, share := range p.shares {
			s.Table.Columns = append(s.Table.Columns, fmt.Sprint(share))
		}
		for _, set := range sweptSets() {
			for _, title := range sweptMethods {
				name := sweepName(p, set, title)
				row := []bench.Cell{bench.PlainCell(set.title), bench.PlainCell(title)}
				for i := range p.shares {
					row = append(row, r.Cell(name, func(one *bench.Record) string {
						if i >= len(one.Series["acc"]) {
							return ""
						}
						return fmt.Sprintf("%.3f", one.Series["acc"][i])
					}))
				}
				s.Table.Rows = append(s.Table.Rows, row)
				if one := r.Get(name); one != nil && len(one.Series["share"]) == len(one.Series["acc"]) {
					s.Plot.Curves = append(s.Plot.Curves, bench.Curve{Name: set.title + ", " + title, X: one.Series["share"], Y: one.Series["acc"], Dashed: title == "f-SMRMF", Cases: []string{name}})
				}
			}
		}
		sections = append(sections, s)
	}
	return append(sections, convergenceSections(r)...)
}

// convergenceSections show the largest residual and the objective of each method and set.
func convergenceSections(r *bench.Records) []bench.Section {
	open := bench.Section{
		Title: "Convergence: the splitting",
		Text:  fmt.Sprintf("The largest of ‖X − FGᵀ − E‖/‖X‖, ‖G − H‖/√c and ‖Z − C‖/√n after so many passes at λ = %s, with no tolerance. The default is %d passes and a tolerance of 1e-5. RMNMF and f-SMRMF have no Z − C.", middleLambda, defaultPasses),
		Plot:  &bench.Plot{XLabel: "passes", YLabel: "largest residual", LogY: true},
	}
	objective := bench.Section{
		Title: "Convergence: the objective",
		Text:  "Σ‖xᵢ − Fgᵢ‖ + λ tr(GᵀLG) over its value at the start, after each pass; β⟨D, Z⟩ is left out. The constraints are not met before the splitting has closed, and the graph changes with Z, so that the objective need not fall in every pass.",
		Plot:  &bench.Plot{XLabel: "pass", YLabel: "objective over its first"},
	}
	for _, s := range convergingSets() {
		for _, title := range convergingMethods {
			one := r.Get(convergenceName(s, title))
			if one == nil {
				continue
			}
			name, cases := s.title+", "+title, []string{one.Case}
			var largest []float64
			for i := range one.Series["pass"] {
				v := 0.0
				for _, key := range residualKeys {
					v = max(v, one.Series[key][i])
				}
				largest = append(largest, v)
			}
			open.Plot.Curves = append(open.Plot.Curves, bench.Curve{Name: name, X: one.Series["pass"], Y: largest, Cases: cases})
			var x, y []float64
			for pass, v := range one.Series["objective"] {
				x, y = append(x, float64(pass)), append(y, v/one.Series["objective"][0])
			}
			objective.Plot.Curves = append(objective.Plot.Curves, bench.Curve{Name: name, X: x, Y: y, Cases: cases})
		}
	}
	return []bench.Section{open, objective}
}
