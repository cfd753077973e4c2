package files

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Column describes a column of a table to [ChooseColumns].
type Column struct {
	Name string
	Not  string // why it cannot be read as numbers, as in "holds text"; "" where it can
	Lost bool   // with Not: it holds numbers all the same, and must not be passed over in silence
}

// index is how pandas names a column that holds the labels of rows.
var index = regexp.MustCompile(`^__index_level_\d+__$`)

// ChooseColumns returns the places of the columns named, in that order, or, without
// names, of all that hold numbers, but for an index that pandas has added.
func ChooseColumns(all []Column, names []string) ([]int, error) {
	var chosen []int
	for _, name := range names {
		at, err := findColumn(all, name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, at)
	}
	if names != nil {
		return chosen, nil
	}
	for at, c := range all {
		switch {
		case c.Not == "" && !index.MatchString(c.Name):
			chosen = append(chosen, at)
		case c.Lost:
			return nil, fmt.Errorf("column %s %s, or name the columns to read, as in file.ext:a,b", excerpt([]byte(c.Name)), c.Not)
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("the table has no columns")
	case len(chosen) == 0:
		return nil, fmt.Errorf("no column holds numbers (%s)", listedColumns(all))
	}
	return chosen, nil
}

func findColumn(all []Column, name string) (int, error) {
	found := -1
	for at, c := range all {
		if c.Name != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("the table has several columns %s", excerpt([]byte(name)))
		}
		found = at
	}
	switch {
	case found < 0:
		return 0, fmt.Errorf("the table has no column %s; it has %s", excerpt([]byte(name)), listedColumns(all))
	case all[found].Not != "":
		return 0, fmt.Errorf("column %s %s", excerpt([]byte(name)), all[found].Not)
	}
	return found, nil
}

// listedColumns names the columns of a table.
func listedColumns(all []Column) string {
	const most = 20
	var names []string
	for i, c := range all {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, strings.Trim(excerpt([]byte(c.Name)), `"`))
	}
	return strings.Join(names, ", ")
}

// MissingValue is the error of a table with a hole in it. Both count from 1 and
// from the beginning of the table.
func MissingValue(row int, column string) error {
	return fmt.Errorf("row %d, column %s is null: remove or impute missing values first", row, excerpt([]byte(column)))
}
