package files

import (
	"bufio"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// tableNames are the names of columns to be written: those given, or x1, x2, …
func (loc *location) tableNames(cols int) ([]string, error) {
	if loc.columns != nil {
		if len(loc.columns) != cols {
			return nil, loc.otherColumns(cols)
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
func (loc *location) createTable(w io.Writer, cols int, t NumberType) (TableWriter, error) {
	names, err := loc.tableNames(cols)
	if err != nil {
		return nil, err
	}
	return loc.format.Create(w, TableType{names, t})
}

// writeTable writes a matrix as a table.
func writeTable(w *bufio.Writer, loc location, m mat.Matrix, single bool) error {
	rows, cols := m.Dims()
	t, err := loc.createTable(w, cols, floatType(single))
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
func writeIntegerTable(w *bufio.Writer, loc location, v integers) error {
	t, err := loc.createTable(w, v.cols, Int64)
	if err != nil {
		return err
	}
	for rest := v.data; len(rest) > 0; rest = rest[v.cols:] {
		if err := t.WriteIntegers(rest[:v.cols]); err != nil {
			return err
		}
	}
	return t.Close()
}

// writeTableRows begins a table of the rows that w is given.
func writeTableRows(w *RowWriter) error {
	t, err := w.o.loc.createTable(w.o.buffer, w.cols, floatType(w.single))
	if err != nil {
		return err
	}
	w.put, w.finish = t.WriteRow, t.Close
	return nil
}

func floatType(single bool) NumberType {
	if single {
		return Float32
	}
	return Float64
}
