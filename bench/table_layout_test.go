package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func cellsOf(texts ...string) []Cell {
	var list []Cell
	for _, text := range texts {
		list = append(list, Cell{Text: text})
	}
	return list
}

// TestTablesFitThePage holds that no table is wider than the page, whatever a suite makes: columns that are the same
// in all rows stand above it, and the rest is in parts with the first columns in common.
func TestTablesFitThePage(t *testing.T) {
	for _, columns := range []int{2, maxColumns, maxColumns + 1, 18, 40} {
		table := &Table{Columns: []string{"set", "method"}}
		for j := 2; j < columns; j++ {
			name := fmt.Sprintf("figure %d", j)
			if j%2 == 1 && j > 2 {
				name = "theirs"
			}
			table.Columns = append(table.Columns, name)
		}
		for i := range 3 {
			row := cellsOf("set", fmt.Sprintf("method %d", i))
			for j := 2; j < columns; j++ {
				row = append(row, Cell{Text: fmt.Sprint(i * j)})
			}
			table.Rows = append(table.Rows, row)
		}
		parts := table.laidOut()
		seen := map[string]int{}
		for _, p := range parts {
			if len(p.Columns) > maxColumns {
				t.Errorf("%d columns: a part of %d", columns, len(p.Columns))
			}
			for j, name := range p.Columns {
				seen[name]++
				if at := strings.TrimSuffix(name, ", theirs"); at != name && !slices.Contains(p.Columns[:j], at) {
					t.Errorf("%d columns: %q stands in a part without %q", columns, name, at)
				}
			}
			for _, row := range p.Rows {
				if len(row) != len(p.Columns) {
					t.Errorf("%d columns: a row of %d under %d", columns, len(row), len(p.Columns))
				}
			}
		}
		for j := 2; j < columns; j++ {
			name := table.Columns[j]
			if name == "theirs" {
				name = table.Columns[j-1] + ", theirs"
			}
			if seen[name] != 1 {
				t.Errorf("%d columns: %q is there %d times", columns, name, seen[name])
			}
		}
		if seen["set"] != len(parts) || seen["method"] != len(parts) && columns > 2 {
			t.Errorf("%d columns: the first ones are there %d and %d times in %d parts", columns, seen["set"], seen["method"], len(parts))
		}
	}
}

func TestWhatIsTheSameStandsAbove(t *testing.T) {
	table := &Table{Columns: []string{"method", "k", "recall", "theirs", "peak", "theirs", "s"}, Rows: [][]Cell{
		{{Text: "lle"}, {Text: "12"}, {Text: "1"}, {Text: noPeer, Mark: Absent}, {Text: "40 MiB"}, {Text: "70 MiB"}, {Text: "12 ms", Error: "dev 0.1"}},
		{{Text: "pca"}, {Text: "12"}, {Text: "1"}, {Text: noPeer, Mark: Absent}, {Text: "50 MiB"}, {Text: "–", Mark: Absent}, {Text: "1.5 s", Error: "dev 0.2"}},
	}}
	parts := table.laidOut()
	if len(parts) != 1 {
		t.Fatalf("%d parts", len(parts))
	}
	var same []string
	for _, s := range parts[0].Same {
		same = append(same, s.text())
	}
	if got, want := strings.Join(same, "; "), "k 12; recall 1; recall, theirs no peer here"; got != want {
		t.Errorf("above stands %q, want %q", got, want)
	}
	if got, want := strings.Join(parts[0].Columns, "|"), "method|peak, MiB|peak, theirs, MiB|s, s"; got != want {
		t.Errorf("the heads are %q, want %q", got, want)
	}
	var rows []string
	for _, row := range parts[0].Rows {
		rows = append(rows, fmt.Sprint(row))
	}
	if got, want := strings.Join(rows, " "), "[lle 40 70 0.0120, dev 0.1] [pca 50 – 1.50, dev 0.2]"; got != want {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	// What was given is not changed, and one row has no columns that are the same.
	if table.Columns[4] != "peak" || table.Rows[0][4].Text != "40 MiB" {
		t.Errorf("the table was changed: %v", table)
	}
	table.Rows = table.Rows[:1]
	if one := table.laidOut(); len(one[0].Same) > 0 || len(one[0].Columns) != 7 {
		t.Errorf("one row: %+v", one)
	}
	// Times that no unit shows all of keep their own.
	far := &Table{Columns: []string{"n", "CPU"}, Rows: [][]Cell{cellsOf("1", "2 µs"), cellsOf("2", "3 s")}}
	if got := far.laidOut()[0]; got.Columns[1] != "CPU" || got.Rows[0][1].Text != "2 µs" {
		t.Errorf("2 µs and 3 s: %+v", got)
	}
}
