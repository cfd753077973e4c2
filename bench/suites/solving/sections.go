package solving

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

func pairSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "by", "order", "CPU and residual", "right-hand sides", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		for _, side := range pairSides {
			if !p.takenBy(side.peer) {
				continue
			}
			name := p.pairGroup() + side.side
			t.Rows = append(t.Rows, []bench.Cell{{Text: p.title}, {Text: side.title}, r.Cell(name, orderText), r.TimedCell(name, "total"), r.QualityCell(name, "solves", "%.0f"), r.Cell(name, bench.PeakText)})
		}
	}
	return bench.Section{Title: fmt.Sprintf("The %d smallest eigenpairs, one thread", pairs), Table: t,
		Text: "Right-hand sides are those that are solved for; ours are solved for eight at a time."}
}

// orderText is the order of the matrix of a record.
func orderText(one *bench.Record) string { return fmt.Sprint(one.Samples) }

func factorSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "threads", "by", "order", "analysis and factor (wall)", "a solution", "factor again", "CPU of all and backward error", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		if p.alone {
			continue
		}
		for _, threads := range []int{1, 2} {
			for _, side := range factorSides {
				name := p.factorGroup(threads) + side.side
				row := []bench.Cell{{Text: p.title}, {Text: fmt.Sprint(threads)}, {Text: side.title}, r.Cell(name, orderText)}
				for _, phase := range []string{"factor", "solve", "again"} {
					row = append(row, r.Cell(name, func(one *bench.Record) string { return bench.MedianText(one.Seconds[phase]) }))
				}
				t.Rows = append(t.Rows, append(row, r.TimedCell(name, "total"), r.Cell(name, bench.PeakText)))
			}
		}
	}
	return bench.Section{Title: "Cholesky factorisation", Table: t}
}
