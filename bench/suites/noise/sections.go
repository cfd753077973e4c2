package noise

import (
	"fmt"

	"github.com/orthant-go/orthant/bench"
)

func sections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"surface, samples, noise", "method", "12 neighbours", "auto", "best fixed number", "floor"}}
	for _, one := range runs() {
		if one.k != auto {
			continue
		}
		plain := one
		plain.k = standard
		if _, ready := dev(r, one); !ready {
			continue
		}
		row := []bench.Cell{{Text: one.group()}, {Text: one.method}, r.AccuracyCell(plain.name()), r.AccuracyCell(one.name()), {Text: "not run", Mark: bench.Absent}, {Text: fmt.Sprintf("%.4f", floor(r, one))}}
		if _, by := atBest(r, one); by != nil && one.method == "neml" {
			row[4] = r.AccuracyCell(by[0])
		}
		t.Rows = append(t.Rows, row)
	}
	return []bench.Section{{Title: "dev by noise, samples and method", Table: t}}
}
