package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxColumns is what fits side by side on a page.
const maxColumns = 9

// laidTable is a table, or a part of one, as it is printed.
type laidTable struct {
	Same []sameColumn // the columns that were the same in all rows: they are printed above the table
	Table
}

// sameColumn is a column whose cells are all equal.
type sameColumn struct {
	Name string
	Cell Cell
}

// laidOut makes a table fit a page: a unit that all cells of a column have goes to its head, a
// column that is the same in all rows goes above, and one of too many columns is
// printed in parts, which have its first columns in common.
func (t *Table) laidOut() []laidTable {
	whole := Table{Columns: slices.Clone(t.Columns)}
	for _, row := range t.Rows {
		cells := make([]Cell, max(len(row), len(t.Columns)))
		copy(cells, row)
		whole.Rows = append(whole.Rows, cells)
	}
	for j, name := range whole.Columns {
		if j > 0 && follows(name) {
			whole.Columns[j] = leader(t.Columns, j) + ", " + name
		}
	}
	same := whole.takeSame()
	for j := range whole.Columns {
		whole.unitToHead(j)
	}
	var parts []laidTable
	for _, columns := range whole.parts() {
		part := Table{}
		for _, j := range columns {
			part.Columns = append(part.Columns, whole.Columns[j])
		}
		for _, row := range whole.Rows {
			var cells []Cell
			for _, j := range columns {
				cells = append(cells, row[j])
			}
			part.Rows = append(part.Rows, cells)
		}
		parts = append(parts, laidTable{Table: part})
	}
	parts[0].Same = same
	return parts
}

// follows reports whether a head says nothing without the one before it.
func follows(name string) bool {
	return slices.Contains([]string{"theirs", "reference", "paper", "printed", "target"}, name)
}

// leader is the head to which the one at j belongs.
func leader(columns []string, j int) string {
	for j > 0 && follows(columns[j]) {
		j--
	}
	return columns[j]
}

// takeSame takes the columns out that are the same in all rows. The first one is kept: it
// says what the rows are.
func (t *Table) takeSame() (same []sameColumn) {
	if len(t.Rows) < 2 {
		return nil
	}
	for j := len(t.Columns) - 1; j > 0; j-- {
		first := t.Rows[0][j]
		if slices.ContainsFunc(t.Rows, func(row []Cell) bool {
			return row[j].Text != first.Text || row[j].Error != first.Error || row[j].Mark != first.Mark
		}) {
			continue
		}
		if first.Text != "" {
			same = append(same, sameColumn{t.Columns[j], first})
		}
		t.Columns = slices.Delete(t.Columns, j, j+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], j, j+1)
		}
	}
	slices.Reverse(same)
	return same
}

// timeUnits are the units of times, in seconds.
var timeUnits = map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}

// unitToHead moves the unit of a column to its head where all its figures have one, or all are times
// that can be read in one unit.
func (t *Table) unitToHead(j int) {
	var units []string
	low, high := 0.0, 0.0
	for _, row := range t.Rows {
		if row[j].Mark == Absent || row[j].Text == "" {
			continue
		}
		v, unit, ok := cutUnit(row[j].Text)
		if !ok {
			return
		}
		units = appendNew(units, unit)
		v *= timeUnits[unit]
		if low == 0 || v < low {
			low = v
		}
		high = max(high, v)
	}
	if len(units) == 0 {
		return
	}
	to := units[0]
	if len(units) > 1 {
		const farthest = 1e4 // what a column of one unit shows of its least figure in three digits
		if slices.ContainsFunc(units, func(unit string) bool { return timeUnits[unit] == 0 }) || high > farthest*low {
			return
		}
		to = "s"
		for _, unit := range []string{"ms", "µs", "ns"} {
			if high < 1e3*timeUnits[unit] {
				to = unit
			}
		}
	}
	t.Columns[j] = strings.TrimLeft(t.Columns[j]+", "+to, ", ")
	for _, row := range t.Rows {
		if v, unit, ok := cutUnit(row[j].Text); ok && row[j].Mark != Absent {
			row[j].Text = strings.TrimSuffix(row[j].Text, " "+unit)
			if len(units) > 1 {
				row[j].Text = plainNumber(v * timeUnits[unit] / timeUnits[to])
			}
		}
	}
}

// cutUnit reads a figure with one of the units that go to a head.
func cutUnit(text string) (v float64, unit string, ok bool) {
	number, unit, found := strings.Cut(text, " ")
	if !found || timeUnits[unit] == 0 && !slices.Contains([]string{"KiB", "MiB", "GiB", "%"}, unit) {
		return 0, "", false
	}
	v, err := strconv.ParseFloat(number, 64)
	return v, unit, err == nil
}

// plainNumber writes a number with three digits, and no exponent.
func plainNumber(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(math.Abs(v))))), 64)
}

// parts lists the columns of each part of a table: the columns of words that it begins with are
// in every part, and a column stays with the one that it follows.
func (t *Table) parts() [][]int {
	n := len(t.Columns)
	all := make([]int, n)
	for j := range all {
		all[j] = j
	}
	if n <= maxColumns {
		return [][]int{all}
	}
	numeric := t.numeric()
	first := 1
	for first < 3 && first < n && !numeric[first] {
		first++
	}
	var blocks [][]int // columns that stay together
	for j := first; j < n; j++ {
		if last := len(blocks) - 1; last >= 0 && j > 0 && strings.HasPrefix(t.Columns[j], t.Columns[blocks[last][0]]+", ") && len(blocks[last]) < maxColumns-first {
			blocks[last] = append(blocks[last], j)
			continue
		}
		blocks = append(blocks, []int{j})
	}
	count := (n - first + maxColumns - first - 1) / (maxColumns - first)
	each := (n - first + count - 1) / count // as many in each part, or nearly
	var parts [][]int
	for _, block := range blocks {
		last := len(parts) - 1
		if last < 0 || len(parts[last])+len(block) > first+max(each, len(block)) {
			parts = append(parts, slices.Clone(all[:first]))
			last++
		}
		parts[last] = append(parts[last], block...)
	}
	return parts
}

// text writes a column that is printed above its table.
func (s sameColumn) text() string { return fmt.Sprintf("%s %s", s.Name, s.Cell) }
