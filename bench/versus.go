package bench

import (
	"slices"
	"strings"
)

// Versus is a case of ours and one of another program on the same input. The report begins with them.
type Versus struct {
	What    string // is computed, such as "swiss roll, 5000 samples: LLE"
	Program string // the other one
	Ours    string // cases of the suite
	Theirs  string
}

// versusRow is a row of the overview: processor seconds of both, how many times faster ours is, and the
// errors of both. Cells of the first screen are never without their errors.
type versusRow struct {
	What, Program string
	Cells         [5]Cell // ours, theirs, times faster, our error, their error
	suite         *suiteView

	seconds [2]float64 // processor seconds of ours and theirs; 0: not run
	short   bool       // our error is beyond its limit
}

// both reports whether both sides were measured.
func (v *versusRow) both() bool { return v.Cells[2].Mark != Absent }

// versusHeads are the heads of the cells.
var versusHeads = []string{"orthant, s", "peer, s", "times faster", "error, orthant", "error, peer"}

// overview is what a report begins with.
type overview struct {
	Rows   []versusRow
	More   []versusRow // that would not fit the first screen
	Absent []string    // why peers are not here, with what to do about it
	Note   string      // where nothing can be shown
}

// firstRows is how many rows the first screen has room for.
const firstRows = 10

// overview compares ours with the peers, those that were measured on both sides first.
func (r *Report) overview() overview {
	var o overview
	var rows []versusRow
	for _, v := range r.suites {
		for _, one := range v.versus {
			if v.records.Get(one.Ours) == nil {
				continue
			}
			rows = append(rows, v.versusRow(one))
			if its := v.records.Lookup(one.Theirs); its != nil && its.Missing != "" {
				o.Absent = appendNew(o.Absent, its.Missing)
			}
		}
	}
	if len(rows) == 0 {
		rows = r.aloneRows()
	}
	slices.SortStableFunc(rows, func(a, b versusRow) int {
		switch {
		case a.both() == b.both():
			return 0
		case a.both():
			return -1
		}
		return 1
	})
	shown := min(len(rows), firstRows)
	o.Rows, o.More = rows[:shown], rows[shown:]
	if len(rows) == 0 {
		o.Note = "No suite with running times is among these records."
	}
	return o
}

// versusRow makes the row of a pair whose first case was measured.
func (v *suiteView) versusRow(one Versus) versusRow {
	r := v.records
	row := versusRow{What: one.What, Program: one.Program, suite: v}
	row.Cells[0], row.Cells[3] = r.secondsAndError(one.Ours)
	row.Cells[1], row.Cells[4] = Cell{Text: "–", Mark: Absent}, Cell{Text: "–", Mark: Absent}
	if one.Theirs != "" {
		row.Cells[1], row.Cells[4] = r.secondsAndError(one.Theirs)
	}
	row.Cells[2] = r.TimesFaster(one.Ours, one.Theirs)
	row.seconds[0], _ = r.CPU(one.Ours)
	row.seconds[1], _ = r.CPU(one.Theirs)
	row.short = len(r.Shortfalls(one.Ours)) > 0
	return row
}

// versusTable makes a table of the rows.
func versusTable(rows []versusRow) *Table {
	t := &Table{Columns: append([]string{"on the same input", "peer"}, versusHeads...)}
	for _, row := range rows {
		t.Rows = append(t.Rows, append([]Cell{{Text: row.What}, {Text: row.Program}}, row.Cells[:]...))
	}
	return t
}

// secondsAndError are the processor seconds of a case and its error: neither is shown without the other.
func (r *Records) secondsAndError(name string) (seconds, err Cell) {
	seconds = r.CellWithError(name, func(one *Record) string {
		s, found := one.CPUSeconds["total"]
		if !found {
			return ""
		}
		return plainNumber(s.Median)
	})
	err = Cell{Text: "–", Mark: Absent}
	if seconds.Mark != Absent {
		err = Cell{Text: seconds.Error, Case: name, Mark: seconds.Mark}
		seconds.Error, seconds.Mark = "", Plain
	}
	return seconds, err
}

// aloneRows are the rows of suites of running times, where ours is compared with no other program.
func (r *Report) aloneRows() []versusRow {
	var rows []versusRow
	for _, v := range r.suites {
		if !v.speed {
			continue
		}
		for _, one := range v.records.List {
			if one.Done() {
				rows = append(rows, v.versusRow(Versus{What: v.Name + ": " + one.Case, Ours: one.Case}))
			}
		}
	}
	return rows
}

// TimesFaster is the cell that says how many times less processor time ours took. It says nothing where one of the
// two did not run, and is no praise of a result that misses the limits of its error.
func (r *Records) TimesFaster(ours, theirs string) Cell {
	a, found := r.CPU(ours)
	b, also := r.CPU(theirs)
	if !found || !also || a <= 0 {
		return Cell{Text: "–", Mark: Absent}
	}
	c := Cell{Text: plainNumber(b / a), Case: ours, Mark: Better}
	if b < a || len(r.Shortfalls(ours)) > 0 {
		c.Mark = Worse
	}
	return c
}

// absentPeers says, for the cells of a table, which peers are not here and what to do about it.
func (r *Records) absentPeers(t *Table) []string {
	var said []string
	for _, row := range t.Rows {
		for _, c := range row {
			if one := r.Lookup(c.Case); c.Case != "" && one != nil && one.lacksPeer() {
				said = appendNew(said, one.Missing)
			}
		}
	}
	return said
}

// absentText is the sentence of peers that are not here.
func absentText(said []string) string {
	if len(said) == 0 {
		return ""
	}
	return "No peer here: " + strings.Join(said, "; ") + "."
}
