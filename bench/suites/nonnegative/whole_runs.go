package nonnegative

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Whole runs: how long they take, and which phase takes it.

var (
	wholeRuns = []struct {
		name, title string
		data        bench.Source
		method      string
		params      map[string]any
		full        bool // left out by --quick
	}{
		{"speed/nle-usps", "NLE, 11 000 USPS digits of 256 pixels, k = 20, P = 10, 500 iterations", bench.FromFile("usps.X.npy"), "nle",
			map[string]any{"update": "paper", "weights": "heat", "neighbors": 20, "dim": 10, "iterations": 500, "tolerance": 0}, true},
		{"speed/npca-coil20", "NPCA, COIL-20 (1440 × 1024), P = 20, 500 iterations", bench.FromFile("coil20.X.npy"), "npca",
			map[string]any{"update": "penalty", "dim": 20, "iterations": 500, "tolerance": 0}, false},
	}
	speedPhases = []string{"neighbors", "patches", "alignment", "solve"}
)

func speedName(of string, threads int) string { return fmt.Sprintf("%s/threads=%d", of, threads) }

func wholeRunCases() []bench.Case {
	var cases []bench.Case
	for _, s := range wholeRuns {
		for _, threads := range []int{1, 2} {
			c := bench.Embedding(speedName(s.name, threads), s.data, s.method, s.params)
			c.Group, c.Threads, c.Full = s.name, threads, s.full
			cases = append(cases, c)
		}
	}
	return cases
}

func wholeRunSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Whole runs by phase",
		Text:  "Wall time without reading, and the share of it that each phase takes. patches is the weights, alignment the matrix, or C = XcᵀXc; the solve includes the estimate of the spectrum that sets the shift or the penalty.",
		Table: &bench.Table{Columns: append([]string{"run", "threads", "wall", "processor"}, speedPhases...)},
	}
	for _, one := range wholeRuns {
		for _, threads := range []int{1, 2} {
			name := speedName(one.name, threads)
			row := []bench.Cell{bench.PlainCell(one.title), bench.PlainCell(fmt.Sprint(threads))}
			record := r.Get(name)
			if record == nil {
				s.Table.Rows = append(s.Table.Rows, append(row, bench.Cell{Text: "–", Case: name, Mark: bench.Absent}))
				continue
			}
			total := record.Seconds["total"].Median
			row = append(row, bench.Cell{Text: bench.SecondsText(total), Case: name}, bench.Cell{Text: bench.SecondsText(record.CPUSeconds["total"].Median), Case: name})
			for _, phase := range speedPhases {
				text := ""
				if v, found := record.Seconds[phase]; found {
					text = fmt.Sprintf("%.0f %%", 100*v.Median/total)
				}
				row = append(row, bench.Cell{Text: text, Case: name})
			}
			s.Table.Rows = append(s.Table.Rows, row)
		}
	}
	s.Table.Columns = slices.Clip(s.Table.Columns)
	return []bench.Section{s}
}
