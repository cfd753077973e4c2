package files

import (
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// tableNames are the names of columns to be written: those given, or x1, x2, …
func (loc *location) tableNames(cols int) ([]string, error) {
	if loc.columns != nil {
		if len(loc.columns) != cols {
			return nil, fmt.Errorf("the path names %s, and there are %d to write", plural(len(loc.columns), "column"), cols)
		}
		return loc.columns, nil
	}
	names := make([]string, cols)
	for j := range names {
		names[j] = "x" + strconv.Itoa(j+1)
	}
	return names, nil
}

// createTable begins the table of an output.
func (o *Output) createTable(w io.Writer, cols int, t NumberType) (TableWriter, error) {
	names, err := o.loc.tableNames(cols)
	if err != nil {
		return nil, err
	}
	return o.loc.table.Create(w, TableType{names, t})
}

// writeTable writes a matrix as a table.
func (o *Output) writeTable(w io.Writer, m mat.Matrix, single bool) error {
	rows, cols := m.Dims()
	t, err := o.createTable(w, cols, floatType(single))
	if err != nil {
		return err
	}
	row := rowReader(m)
	for i := range rows {
		if err := t.WriteRow(row(i)); err != nil {
			return err
		}
	}
	return t.Close()
}

// writeIntegerTable is writeTable for integers.
func (o *Output) writeIntegerTable(w io.Writer, cols int, v []int64) error {
	t, err := o.createTable(w, cols, Int64)
	if err != nil {
		return err
	}
	for ; len(v) > 0; v = v[cols:] {
		if err := t.WriteIntegers(v[:cols]); err != nil {
			return err
		}
	}
	return t.Close()
}

func floatType(single bool) NumberType {
	if single {
		return Float32
	}
	return Float64
}
