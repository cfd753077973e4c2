package neighbours

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// curve is a line of the plots and a row of the tables: the searches of one program.
type curve struct {
	title string
	cases []string
}

// curves returns our curves and the curves of the other programs that search the set.
func (s *dataSet) curves() []curve {
	var list []curve
	if s.exact {
		list = append(list, curve{"orthant, exact", []string{s.caseName(oursName(0, threads))}})
	}
	if len(s.recalls) > 0 {
		list = append(list, curve{"orthant", s.approximate()})
	}
	if s.single > 0 {
		list = append(list, curve{"orthant, one thread", []string{s.caseName(oursName(s.single, 1))}})
	}
	for i := range programs {
		p := &programs[i]
		if !s.takes(p) {
			continue
		}
		name := s.caseName(p.name)
		if last := len(list) - 1; list[last].title == p.curve {
			list[last].cases = append(list[last].cases, name)
			continue
		}
		list = append(list, curve{p.curve, []string{name}})
	}
	return list
}

// sections returns, for each set, a table by program, the curves, and the figures that our command reports.
func sections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for i := range sets {
		s := &sets[i]
		t := &bench.Table{Columns: []string{""}}
		for _, recall := range targets {
			t.Columns = append(t.Columns, fmt.Sprintf("recall ≥ %g", recall))
		}
		t.Columns = append(t.Columns, "most accurate", "peak of memory")
		p := &bench.Plot{XLabel: "seconds", YLabel: "recall", LogX: true}
		for _, c := range s.curves() {
			c.cases = slices.DeleteFunc(c.cases, func(name string) bool { return r.Lookup(name) == nil })
			if len(c.cases) == 0 {
				continue
			}
			t.Rows = append(t.Rows, c.row(r))
			if line := c.line(r); len(line.X) > 0 {
				p.Curves = append(p.Curves, line)
			}
		}
		if len(t.Rows) == 0 {
			continue
		}
		list = append(list, bench.Section{Title: s.name, Table: t,
			Text: "Seconds by the clock of the fastest search of the program that reaches the recall, with its setting and the recall that was measured."})
		if len(p.Curves) > 1 {
			list = append(list, bench.Section{Title: s.name + ": recall against seconds", Plot: p})
		}
		if t := s.ownTable(r); len(t.Rows) > 0 {
			list = append(list, bench.Section{Title: s.name + ": orthant neighbors", Table: t})
		}
	}
	return list
}

// row lists the fastest search of a program for each recall, the most accurate one, and the largest peak.
func (c *curve) row(r *bench.Records) []bench.Cell {
	cells := []bench.Cell{{Text: c.title}}
	for _, recall := range targets {
		best, found := fastest(r, recall, c.cases...)
		cells = append(cells, c.cell(r, best, found))
	}
	most, found := point{recall: -1}, false
	peak := r.Cell(c.cases[0], bench.PeakText)
	for _, name := range c.cases {
		for _, p := range points(r, name) {
			if p.recall > most.recall || p.recall == most.recall && p.seconds < most.seconds {
				most, found = p, true
			}
		}
		if one := r.Get(name); one != nil && (r.Get(peak.Case) == nil || one.PeakBytes > r.Get(peak.Case).PeakBytes) {
			peak = r.Cell(name, bench.PeakText)
		}
	}
	return append(cells, c.cell(r, most, found), peak)
}

// cell shows a search with its recall, or why it is missing.
func (c *curve) cell(r *bench.Records, p point, found bool) bench.Cell {
	if !found {
		return r.Cell(c.cases[0], func(*bench.Record) string { return "" })
	}
	cell := bench.Cell{Text: bench.SecondsText(p.seconds), Error: fmt.Sprintf("recall %.4f", p.recall), Case: p.name}
	if p.setting != "" {
		cell.Error = p.setting + ", " + cell.Error
	}
	if len(r.Shortfalls(p.name)) > 0 {
		cell.Mark = bench.Worse
	}
	return cell
}

// line returns the searches of a program, by seconds.
func (c *curve) line(r *bench.Records) bench.Curve {
	var all []point
	line := bench.Curve{Name: c.title}
	for _, name := range c.cases {
		if list := points(r, name); len(list) > 0 {
			all, line.Cases = append(all, list...), append(line.Cases, name)
		}
	}
	slices.SortStableFunc(all, func(a, b point) int {
		switch {
		case a.seconds < b.seconds:
			return -1
		case a.seconds > b.seconds:
			return 1
		}
		return 0
	})
	for _, p := range all {
		line.X, line.Y = append(line.X, p.seconds), append(line.Y, p.recall)
	}
	return line
}

// ownTable compares the recall that our command reports with the measured one, and splits its time.
func (s *dataSet) ownTable(r *bench.Records) *bench.Table {
	t := &bench.Table{Columns: []string{"case", "whole command", "reading", "search", "writing", "reported recall", "peak of memory"}}
	for i := range s.recalls {
		for _, count := range []int{threads, 1} {
			name := s.caseName(oursName(s.recalls[i], count))
			if r.Lookup(name) == nil {
				continue
			}
			t.Rows = append(t.Rows, []bench.Cell{{Text: name[len(s.name)+1:]}, r.CellWithError(name, bench.WallText("total")),
				r.Cell(name, bench.WallText("read")), r.Cell(name, bench.WallText("search")), r.Cell(name, bench.WallText("write")),
				r.Cell(name, bench.QualityText(reportedKey)), r.Cell(name, bench.PeakText)})
		}
	}
	return t
}
