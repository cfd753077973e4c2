package files

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Choice selects the columns to read: the listed ones, in that order, or all, without
// those that Drop lists. A column is listed by its name, by its number, counted from 1, or
// as part of a range of numbers such as 3-7. If an item is a name and also looks like a number, the
// name counts.
type Choice struct{ Columns, Drop []string }

// given reports whether columns are selected.
func (c Choice) given() bool { return len(c.Columns)+len(c.Drop) > 0 }

// ParseColumns reads a list of columns separated by commas; a name that contains a comma is
// quoted with double quotes, as in CSV.
func ParseColumns(text string) ([]string, error) { return parseColumns(text) }

// Places returns the selected columns out of count, counted from 0; names is nil if they have
// none.
func (c Choice) Places(names []string, count int) ([]int, error) { return c.places(names, count) }

// IsMatrix reports whether the extension of a path names a format of matrices.
func IsMatrix(path string) bool {
	loc, err := locate(path)
	return err == nil && loc.format != nil && loc.format.read != nil
}

// HasColumns reports whether a path names a table, whose columns can be selected.
func HasColumns(path string) bool {
	loc, err := locate(path)
	return err == nil && loc.format.holds == namedColumns
}

// Selection returns the columns that a path selects; nil: none.
func Selection(path string) []string {
	loc, _ := locate(path)
	return loc.columns
}

// Selects reports whether a path selects columns.
func Selects(path string) bool { return Selection(path) != nil }

// places returns the selected columns out of count, counted from 0. names is nil if there are
// none.
func (c Choice) places(names []string, count int) ([]int, error) {
	chosen, err := listedColumns(c.Columns, names, count)
	if err != nil {
		return nil, err
	}
	if len(c.Columns) == 0 {
		for at := range count {
			chosen = append(chosen, at)
		}
	}
	dropped, err := listedColumns(c.Drop, names, count)
	if err != nil {
		return nil, err
	}
	chosen = slices.DeleteFunc(chosen, func(at int) bool { return slices.Contains(dropped, at) })
	if len(chosen) == 0 {
		return nil, errors.New("no column is left to read")
	}
	return chosen, nil
}

// listedColumns returns the columns of a list, each once.
func listedColumns(list, names []string, count int) ([]int, error) {
	var all []int
	for _, item := range list {
		from, to, err := meant(item, names, count)
		if err != nil {
			return nil, err
		}
		for at := from; at < to; at++ {
			if slices.Contains(all, at) {
				return nil, fmt.Errorf("column %d is listed twice (by %s)", at+1, excerpt([]byte(item)))
			}
			all = append(all, at)
		}
	}
	return all, nil
}

// meant returns the columns from ≤ at < to of a list item.
func meant(item string, names []string, count int) (from, to int, err error) {
	found := -1
	for at, name := range names {
		if name != item {
			continue
		}
		if found >= 0 {
			return 0, 0, fmt.Errorf("the table has several columns %s: give their numbers, such as %d", excerpt([]byte(item)), found+1)
		}
		found = at
	}
	if found >= 0 {
		return found, found + 1, nil
	}
	first, last, isRange := strings.Cut(item, "-")
	if !isRange {
		last = first
	}
	low, err1 := strconv.Atoi(first)
	high, err2 := strconv.Atoi(last)
	switch {
	case err1 != nil || err2 != nil || first[0] == '+' || last[0] == '+' || last[0] == '-':
		if names == nil {
			return 0, 0, fmt.Errorf("there is no column %s: the table has no header, and its columns go by their numbers, 1 to %d", excerpt([]byte(item)), count)
		}
		if len(names) == 1 && strings.ContainsAny(names[0], ",;\t|") {
			return 0, 0, wording.Errorf("the table has no column %s: it has one column, %s; say which character separates the fields (‹delimiter›)", excerpt([]byte(item)), shortList(names))
		}
		return 0, 0, fmt.Errorf("the table has no column %s%s; it has %s", excerpt([]byte(item)), suggest.Hint(item, names), shortList(names))
	case low < 1 || high > count:
		return 0, 0, fmt.Errorf("there is no column %s: the table has %s", item, plural(count, "column"))
	case low > high:
		return 0, 0, fmt.Errorf("%s is not a range of columns: give the lower number first", item)
	}
	return low - 1, high, nil
}

// shortList names columns, only some if there are many.
func shortList(names []string) string {
	const most = 20
	var shown []string
	for i, name := range names {
		if i == most {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, strings.Trim(excerpt([]byte(name)), `"`))
	}
	return strings.Join(shown, ", ")
}

// choice combines the columns selected by a path and by the options.
func (loc *location) choice(o Options) (Choice, error) {
	c := Choice{o.Columns, o.Drop}
	if loc.columns != nil {
		if len(c.Columns) > 0 {
			return c, errors.New("columns are chosen twice, behind the colon of the path and by a list: leave one of them out")
		}
		c.Columns = loc.columns
	}
	return c, nil
}

// ColumnNames returns the names of the columns that [ReadMatrix] reads with the same options;
// nil if the file has none.
func ColumnNames(path string, o Options) ([]string, error) {
	names, err := columnNames(path, o)
	return names, failure(path, OpRead, err)
}

func columnNames(path string, o Options) ([]string, error) {
	loc, err := locate(path)
	switch {
	case err != nil || loc.file == standard || loc.format.holds != namedColumns:
		return nil, err
	case loc.format.separator == 0:
		t, err := openTable(loc, o)
		if err != nil {
			return nil, err
		}
		return t.Names(), t.Close()
	}
	form, err := loc.textForm(o)
	if err != nil {
		return nil, err
	}
	return fromContent(loc, o, func(s source, b budget) ([]string, error) {
		t := newTextReader(s, form, b)
		block, err := t.blocks.next(nil)
		if err != nil {
			return nil, t.explain(err, 0)
		}
		if _, err := t.begin(block); err != nil || t.names == nil || t.places == nil {
			return t.names, err
		}
		names := make([]string, t.cols)
		for at, place := range t.places {
			if place >= 0 {
				names[place] = t.names[at]
			}
		}
		return names, nil
	})
}

// Column describes a column of a table to [ChooseColumns].
type Column struct {
	Name string
	Not  string // why it cannot be read as numbers, as in "holds text"; "": it can
	Lost bool   // with Not: it holds numbers nevertheless, and must not be skipped silently
}

// index is the name that pandas gives to a column with the labels of rows.
var index = regexp.MustCompile(`^__index_level_\d+__$`)

// ChooseColumns returns the positions of the selected columns, in that order, or, without
// a list, of all numeric columns except an index that pandas has added.
func ChooseColumns(all []Column, c Choice) ([]int, error) {
	if len(all) == 0 {
		return nil, errors.New("the table has no columns")
	}
	names := make([]string, len(all))
	for at, c := range all {
		names[at] = c.Name
	}
	chosen, err := c.places(names, len(all))
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, at := range chosen {
		switch column := all[at]; {
		case len(c.Columns) > 0 && column.Not != "":
			return nil, fmt.Errorf("column %s %s", excerpt([]byte(column.Name)), column.Not)
		case column.Not == "" && (len(c.Columns) > 0 || !index.MatchString(column.Name)):
			numbers = append(numbers, at)
		case column.Lost:
			return nil, fmt.Errorf("column %s %s, or name the columns to read, as in file.ext:a,b", excerpt([]byte(column.Name)), column.Not)
		}
	}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("no column holds numbers (%s)", shortList(names))
	}
	return numbers, nil
}

// MissingValue is the error of a missing value in a table. Both numbers count from 1 and
// from the beginning of the table.
func MissingValue(row int, column string) error {
	return fmt.Errorf("row %d, column %s is null: remove or impute missing values first", row, excerpt([]byte(column)))
}
