package lnp

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

func pursuitTimeSections(r *bench.Records) []bench.Section {
	var sections []bench.Section
	text := "Processor time on one thread. The paper's times are those of its whole runs, by the program that its authors published, in MATLAB on 2.2 GHz with 2 GB of memory; they are drawn without numbers. So the whole embedding in two dimensions is judged, by the algorithm as printed, and the representation, neighbour search and weights of all samples, is shown for itself. SMCE chooses among 50 neighbours as in that program, or among the same K as the others; by our exact active set, and by ADMM as it was published. Beside each time stands the trustworthiness of the embedding over 12 neighbours: a method is called the fastest only where it loses, in the mean over K, at most 1.2 times the trust that each other one loses. Of the faces the text, as far as it is at hand, says nothing: their times are shown and not judged."
	for _, q := range timedSets {
		for _, part := range []struct{ phase, title string }{{"representation", "representation"}, {"total", "embedding"}} {
			s := bench.Section{
				Title: "Time: " + q.title + ", " + part.title, Text: text, Table: &bench.Table{Columns: []string{"K"}},
				Plot: &bench.Plot{XLabel: "K", YLabel: "processor seconds", LogY: true},
			}
			if q.figure != "" {
				s.Title += " (Fig. " + q.figure + ")"
			}
			text = ""
			for _, k := range q.sizes() {
				s.Table.Columns = append(s.Table.Columns, fmt.Sprint(k))
			}
			for _, x := range timedMethods {
				row, curve := []bench.Cell{bench.PlainCell(x.name)}, bench.Curve{Name: x.name, Dashed: x.dashed}
				for _, k := range q.sizes() {
					name := q.name(x, k)
					if x.key == byADMM.key && q.key == timedFaces.key {
						row = append(row, bench.Cell{Text: "left out", Mark: bench.Absent})
						continue
					}
					if part.phase == "total" {
						row = append(row, r.TimedCell(name, part.phase))
					} else {
						row = append(row, r.Cell(name, bench.CPUText(part.phase)))
					}
					if v, found := phaseSeconds(r, name, part.phase); found {
						curve.X, curve.Y, curve.Cases = append(curve.X, float64(k)), append(curve.Y, v), append(curve.Cases, name)
					}
				}
				s.Table.Rows = append(s.Table.Rows, row)
				if len(curve.X) > 0 {
					s.Plot.Curves = append(s.Plot.Curves, curve)
				}
			}
			sections = append(sections, s)
		}
	}
	return sections
}
