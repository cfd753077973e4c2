package complexity

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/internal/draw"
)

// sections shows every fit beside its order, and the curves that it was made to.
func sections(r *bench.Records) []bench.Section {
	table := &bench.Table{Columns: []string{"what is timed", "grows", "fitted exponent", "stated order at most", "largest size", "CPU and error there"}}
	plot := &bench.Plot{XLabel: "N, n, m, k, r or P", YLabel: "processor seconds", LogX: true, LogY: true}
	for _, s := range sweeps() {
		sizes, seconds, cases := s.grown(r)
		if len(cases) == 0 {
			continue
		}
		last := cases[len(cases)-1]
		name := fmt.Sprintf("%s, by %s", s.title, s.size)
		fit := bench.Cell{Text: fmt.Sprintf("takes %d sizes", leastSizes), Case: last, Mark: bench.Absent}
		if e, ok := exponent(sizes, seconds); ok {
			fit = bench.Cell{Text: e.String(), Case: last}
			name += " ∝ " + s.size + draw.Superscript(fmt.Sprintf("%.2f", e.Slope))
		}
		table.Rows = append(table.Rows, []bench.Cell{
			bench.PlainCell(s.title), bench.PlainCell(s.size), fit, bench.PaperCell(fmt.Sprint(s.stated())),
			bench.PlainCell(draw.Number(sizes[len(sizes)-1], 7)), r.TimedCell(last, "total"),
		})
		plot.Curves = append(plot.Curves, bench.Curve{Name: name, X: sizes, Y: seconds, Cases: cases})
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return []bench.Section{{Title: "Fitted exponents", Table: table}, {Title: "Time against size", Plot: plot}}
}

// stated is the order of a paper's statement on the sweep.
func (s *sweep) stated() float64 {
	for _, o := range orders {
		for _, one := range o.sweeps {
			if one == s {
				return o.power
			}
		}
	}
	return 0
}
