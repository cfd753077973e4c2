package files

import (
	"errors"
	"fmt"
	"regexp"
)

// Column describes a column of a table to [ChooseColumns].
type Column struct {
	Name string
	Not  string // why it cannot be read as numbers, as in "holds text"; "" where it can
	Lost bool   // with Not: it holds numbers all the same, and must not be passed over in silence
}

// index is how pandas names a column that holds the labels of rows.
var index = regexp.MustCompile(`^__index_level_\d+__$`)

// ChooseColumns returns the places of the columns chosen, in that order, or, without
// a list, of all that hold numbers, but for an index that pandas has added.
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

// MissingValue is the error of a table with a hole in it. Both count from 1 and
// from the beginning of the table.
func MissingValue(row int, column string) error {
	return fmt.Errorf("row %d, column %s is null: remove or impute missing values first", row, excerpt([]byte(column)))
}
