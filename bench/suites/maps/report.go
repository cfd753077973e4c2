package maps

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// picture returns the name of the picture of the first seed's map.
const picture = "map"

// sections returns a table for each set, and the maps of some sets.
func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, set := range sets {
		t := &bench.Table{Columns: []string{"", "processor time", "by the clock", "peak of memory", "np15", "10-NN error", "triplets", "KL", "disparity"}}
		var pictures []bench.Figure
		for _, p := range programs {
			name := caseName(set.name, p.method, p.name)
			one := r.Lookup(name)
			if one == nil {
				continue
			}
			t.Rows = append(t.Rows, row(r, &p, name))
			if one.Pictures[picture] != "" {
				pictures = append(pictures, bench.Figure{Case: name, Picture: picture, Caption: p.method + ": " + label(&p)})
			}
		}
		if len(t.Rows) > 0 {
			list = append(list, bench.Section{Title: set.name, Table: t, Pictures: pictures})
		}
	}
	return list
}

// label returns the name of a program in a table.
func label(p *program) string {
	if p.approximate {
		return p.title + ", approximate neighbours"
	}
	return p.title
}

func row(r *bench.Records, p *program, name string) []bench.Cell {
	cells := []bench.Cell{{Text: p.method + ": " + label(p)}, r.CellWithError(name, withRange(bench.CPUText("total"), cpuSeconds, seconds)),
		r.Cell(name, withRange(bench.WallText("total"), wallSeconds, seconds)), r.Cell(name, bench.PeakText)}
	for _, key := range []string{keptNeighbors, classError, triplets, divergence} {
		cells = append(cells, r.Cell(name, withRange(bench.QualityText(key), key, share)))
	}
	return append(cells, r.Cell(name, bench.QualityText(disparity)))
}

func seconds(v float64) string { return bench.SecondsText(v) }

func share(v float64) string { return fmt.Sprintf("%.4f", v) }

// withRange adds the minimum and maximum over several seeds to their mean.
func withRange(mean func(*bench.Record) string, key string, text func(float64) string) func(*bench.Record) string {
	return func(r *bench.Record) string {
		shown, values := mean(r), r.Series[key]
		if shown == "" || len(values) < 2 {
			return shown
		}
		return fmt.Sprintf("%s (%s–%s)", shown, text(slices.Min(values)), text(slices.Max(values)))
	}
}
