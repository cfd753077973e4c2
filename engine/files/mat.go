package files

import (
	"bufio"
	"bytes"

	"gonum.org/v1/gonum/mat"
)

// matFormat is MATLAB's file of variables, of level 5.
var matFormat = Format{
	Name: "MATLAB", Extensions: []string{".mat"},
	holds: namedArrays, checkName: checkVariableName,
	extent:  matExtent,
	writing: func(rows, _ int) int64 { return 8 * int64(rows) }, // a column
	read:    readMAT, readLabels: readMATLabels, openRows: openMATRows,
	write: func(w *bufio.Writer, loc location, m mat.Matrix, single bool) error {
		return writeMATMatrix(w, loc.array, m, single)
	},
	writeIntegers: func(w *bufio.Writer, loc location, v integers) error {
		return writeMATIntegers(w, loc.array, v.rows, v.cols, v.data)
	},
	writeRows: func(w *RowWriter) error { return w.spoolRows(w.writeVariable) },
}

// openMATRows begins to read an array by rows: from its columns where they can be
// reached in the file, else as a whole.
func openMATRows(r *RowReader, loc location, o Options) error {
	m, h, e, err := openVariable(loc, o)
	if err != nil {
		return err
	}
	if m.file == nil || h.packed || h.class == classSparse {
		m.Close()
		v, err := readMAT(loc, o)
		if err != nil {
			return err
		}
		return r.openMatrix(v, "a compressed or sparse .mat array comes by columns")
	}
	r.close = m.Close
	s, a, err := m.beginArray(h, e)
	if err != nil {
		return ofVariable(h, err)
	}
	r.rows, r.cols = a.rows, a.cols
	start := m.at
	if _, small := s.Reader.(*bytes.Reader); small {
		start -= 4 // the numbers are in the second half of the tag
	}
	r.next = r.fromColumns(m.file, start, a)
	return nil
}

// writeVariable writes a .mat file of one array.
func (w *RowWriter) writeVariable() error {
	v := matVariable{name: w.o.loc.array, rows: w.done, cols: w.cols, class: floatClass(w.single)}
	return v.write(w.o.buffer, func(put func([]float64) error) error { return w.byColumns(put) })
}
