package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// matFormat is MATLAB's file of variables, of level 5.
var matFormat = Format{
	Name: "MATLAB", Extensions: []string{".mat"},
	holds: namedArrays, checkName: checkVariableName,
	extent:  matExtent,
	writing: func(rows, _ int) int64 { return 8 * int64(rows) }, // a column
	read:    readMAT, readLabels: readMATLabels, openRows: openMATRows,
	texts: func(loc location, o Options) (textColumn, error) {
		is, err := isHDF5(loc)
		if err != nil {
			return textColumn{}, err
		}
		if is {
			return readHDF5Texts(loc, o)
		}
		return textColumn{}, errors.New("a .mat file holds no text that can be read: give a .csv or .tsv")
	},
	write: func(w *bufio.Writer, loc location, m mat.Matrix, single bool) error {
		return writeMATMatrix(w, loc.array, m, single)
	},
	writeIntegers: func(w *bufio.Writer, loc location, v integers) error {
		return writeMATIntegers(w, loc.array, v)
	},
	writeRows: func(w *RowWriter) error { return w.spoolRows(w.writeVariable) },
}

// openMATRows begins to read an array by rows: from its columns if they can be
// reached in the file, otherwise as a whole.
func openMATRows(r *RowReader, loc location, o Options) error {
	is, err := isHDF5(loc)
	if err != nil {
		return err
	}
	if is {
		return openHDF5Rows(r, loc, o)
	}
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

// openVariable opens a .mat file at the numbers of the array to read: the named
// one, or the only one.
func openVariable(loc location, o Options) (*matFile, matVariableHeader, *matElements, error) {
	var h matVariableHeader
	m, err := openMAT(loc, o)
	if err != nil {
		return nil, h, nil, err
	}
	fail := func(err error) (*matFile, matVariableHeader, *matElements, error) {
		m.Close()
		return nil, h, nil, err
	}
	all, err := m.list(o.budget())
	if err != nil {
		return fail(err)
	}
	if h, err = pickVariable(all, loc.array); err != nil {
		return fail(err)
	}
	if m.file != nil {
		if _, err := m.file.Seek(h.start, io.SeekStart); err != nil {
			return fail(err)
		}
		m.at = h.start
	} else { // a compressed file cannot be rewound: read it again
		m.Close()
		if m, err = openMAT(loc, o); err != nil {
			return nil, h, nil, err
		}
		if err := m.skip(h.start); err != nil {
			return fail(err)
		}
	}
	h, e, _, err := m.next()
	if err != nil {
		return fail(err)
	}
	return m, h, e, nil
}

// variableBytes is the memory of a variable's header without its name.
const variableBytes = 128

// list reads the headers of all variables.
func (m *matFile) list(b budget) ([]matVariableHeader, error) {
	var all []matVariableHeader
	names := 0
	for {
		h, _, end, err := m.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err == nil {
			err = m.skip(end)
		}
		if err != nil {
			return nil, err
		}
		if h.name != "" { // MATLAB stores the content of objects in a variable without a name
			all = append(all, h)
			names += len(h.name)
		}
		// Twice, because the list is copied when it grows.
		if err := b.check(fmt.Sprintf("the list of more than %d variables", len(all)-1), 0, float64(2*variableBytes*len(all)+names)); err != nil {
			return nil, err
		}
	}
}

// pickVariable finds the array to read.
func pickVariable(all []matVariableHeader, name string) (matVariableHeader, error) {
	var names []string
	var arrays []matVariableHeader
	for _, h := range all {
		if h.obstacle() == "" {
			arrays = append(arrays, h)
			names = append(names, strings.Trim(excerpt([]byte(h.name)), `"`))
		}
	}
	at := slices.IndexFunc(all, func(h matVariableHeader) bool { return h.name == name })
	shown := func(name string) string { return excerpt([]byte(name)) }
	const most = 20
	if len(names) > most {
		names = append(names[:most], "…")
	}
	switch {
	case name != "" && at >= 0 && all[at].obstacle() != "":
		return all[at], fmt.Errorf("variable %s %s", shown(name), all[at].obstacle())
	case name != "" && at >= 0:
		return all[at], nil
	case len(all) == 0:
		return matVariableHeader{}, errors.New("the file holds no variable")
	case len(arrays) == 0:
		return all[0], fmt.Errorf("the file holds no matrix of numbers: variable %s %s", shown(all[0].name), all[0].obstacle())
	case name != "":
		return arrays[0], fmt.Errorf("the file has no array %s; it has %s", shown(name), strings.Join(names, ", "))
	case len(arrays) > 1:
		return arrays[0], fmt.Errorf("the file holds %d arrays (%s): name one, as in file.mat:%s", len(arrays), strings.Join(names, ", "), names[0])
	}
	return arrays[0], nil
}

// ofVariable names the variable with the error.
func ofVariable(h matVariableHeader, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("array %s: %w", excerpt([]byte(h.name)), err)
}

// readMAT reads an array, sparse if it is stored so.
func readMAT(loc location, o Options) (matrix, error) {
	is, err := isHDF5(loc)
	if err != nil {
		return matrix{}, err
	}
	if is {
		return readHDF5(loc, o)
	}
	m, h, e, err := openVariable(loc, o)
	if err != nil {
		return matrix{}, err
	}
	defer m.Close()
	var v matrix
	if h.class == classSparse {
		v.sparse, err = m.readSparse(h, e, o.budget())
	} else {
		v.dense, err = m.readDense(h, e, o.budget())
	}
	if err == nil {
		err = m.finish(h, e)
	}
	if err != nil {
		return matrix{}, ofVariable(h, err)
	}
	return v, nil
}

// readMATLabels reads an array as integers.
func readMATLabels(loc location, o Options) ([]int64, error) {
	is, err := isHDF5(loc)
	if err != nil {
		return nil, err
	}
	if is {
		return readHDF5Labels(loc, o)
	}
	m, h, e, err := openVariable(loc, o)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if h.class == classSparse {
		return nil, ofVariable(h, errors.New("is sparse, and labels are one number for each sample: save it as full"))
	}
	s, a, err := m.beginArray(h, e)
	if err != nil {
		return nil, ofVariable(h, err)
	}
	v, err := readArrayLabels(s, a, o.budget())
	if err == nil {
		err = m.finish(h, e)
	}
	return v, ofVariable(h, err)
}

// beginArray begins the numbers of a dense variable: an array in Fortran order.
func (m *matFile) beginArray(h matVariableHeader, e *matElements) (source, npyHeader, error) {
	a := npyHeader{fortran: true, shape: h.dims, rows: h.dims[0], cols: h.dims[1]}
	if a.rows == 0 || a.cols == 0 {
		return source{}, a, emptyMatrix(a.rows, a.cols)
	}
	s, t, err := e.beginNumbers(m.swapped())
	if err != nil {
		return source{}, a, err
	}
	a.dtype = t
	if size := int64(a.rows) * int64(a.cols) * int64(t.size); size != s.size {
		return source{}, a, fmt.Errorf("%d bytes where %d × %d numbers take %d: the file is damaged", s.size, a.rows, a.cols, size)
	}
	if !e.sized { // the length is not confirmed
		s.size = -1
	}
	s.window = m.window
	return s, a, nil
}

// beginNumbers begins an element of numbers, whose size is the claim of its tag.
func (e *matElements) beginNumbers(swapped bool) (source, dtype, error) {
	kind, size, small, err := e.readTag()
	if err != nil {
		return source{}, dtype{}, err
	}
	t, ok := matTypes[kind]
	if !ok {
		return source{}, dtype{}, fmt.Errorf("numbers of the unknown type %d: the file is damaged", kind)
	}
	t.swap = swapped && t.size > 1
	if small != nil {
		return source{Reader: bytes.NewReader(small), size: size}, t, nil
	}
	e.pad = -size & 7
	return source{Reader: io.LimitReader(e, size), size: size}, t, nil
}

func (m *matFile) readDense(h matVariableHeader, e *matElements, b budget) (*mat.Dense, error) {
	s, a, err := m.beginArray(h, e)
	if err != nil {
		return nil, err
	}
	data, err := readArray[float64](s, a, b, 0)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(a.rows, a.cols, data), nil
}

// finish reads a compressed variable to its end, to verify its checksum.
func (m *matFile) finish(h matVariableHeader, e *matElements) error {
	if !h.packed {
		return nil
	}
	if _, err := io.Copy(io.Discard, e); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(e.r, 8)); err != nil || n > 0 {
		return errors.Join(err, trailingBytes(n))
	}
	return nil
}

func trailingBytes(n int64) error {
	if n == 0 {
		return nil
	}
	return errors.New("bytes follow the variable that it has no place for: the file is damaged")
}

// readSparse reads a sparse variable, which is stored by compressed columns: the rows of
// all entries, the start of each column among them, and their values.
func (m *matFile) readSparse(h matVariableHeader, e *matElements, b budget) (*sparse.CSR, error) {
	rows, cols := h.dims[0], h.dims[1]
	fits := func(count int) error {
		return b.check(fmt.Sprintf("the sparse %d × %d matrix with room for %d entries", rows, cols, count),
			sparseColumnBytes(count, rows, cols), m.window)
	}
	index, err := matNumbers[int64](e, m.swapped(), -1, b, fits)
	if err != nil {
		return nil, err
	}
	starts, err := matNumbers[int64](e, m.swapped(), cols+1, b, fits)
	if err != nil {
		return nil, err
	}
	count := starts[cols]
	if count < 0 || count > int64(len(index)) || starts[0] != 0 || !slices.IsSorted(starts) {
		return nil, errors.New("the columns of the sparse matrix do not fit its entries: the file is damaged")
	}
	if rows > freeRows && int64(rows)/rowsPerEntry > count {
		return nil, fmt.Errorf("%d rows for only %d entries: leave the empty rows out", rows, count)
	}
	var values []float64
	if count > 0 {
		if values, err = matNumbers[float64](e, m.swapped(), -1, b, fits); err != nil {
			return nil, err
		}
		if int64(len(values)) < count {
			return nil, fmt.Errorf("%d values for %d entries: the file is damaged", len(values), count)
		}
	}
	return compressRows(rows, cols, index[:count], starts, values)
}

// sparseColumnBytes returns the memory for reading compressed columns: rows and values in file
// order and again by rows, and the starts of rows and columns.
func sparseColumnBytes(entries, rows, cols int) float64 {
	return 16*float64(entries) + sparseBytes(entries, rows) + 8*float64(rows) + 8*float64(cols)
}

// Rows without entries cost memory that no byte of the file accounts for: a
// matrix may have freeRows of them, and rowsPerEntry more for each entry.
const (
	freeRows     = 1 << 20
	rowsPerEntry = 64
)

// matNumbers reads an element of numbers; want is their number, −1: any.
// fits refuses too many.
func matNumbers[D element](e *matElements, swapped bool, want int, b budget, fits func(count int) error) ([]D, error) {
	s, t, err := e.beginNumbers(swapped)
	if err != nil {
		return nil, err
	}
	count := s.size / int64(t.size)
	if s.size%int64(t.size) != 0 || want >= 0 && count != int64(want) || count > math.MaxInt/16 {
		return nil, fmt.Errorf("%d bytes of numbers in a sparse matrix, want %d numbers: the file is damaged", s.size, want)
	}
	if err := fits(int(count)); err != nil {
		return nil, err
	}
	d := newDecoder[D](s, t, s.size)
	if !b.bounded() {
		return readGrowing(d, int(count))
	}
	data := make([]D, count)
	return data, d.fill(data)
}

// compressRows converts compressed columns to compressed rows.
func compressRows(rows, cols int, index, starts []int64, values []float64) (*sparse.CSR, error) {
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("a %d × %d matrix is outside what 32-bit indices hold", rows, cols)
	}
	a := &sparse.CSR{Rows: rows, Cols: cols, Ptr: make([]int, rows+1), Col: make([]int32, len(index)), Val: make([]float64, len(index))}
	for _, i := range index {
		if i < 0 || i >= int64(rows) {
			return nil, fmt.Errorf("an entry in row %d of %d (counting from 1): the file is damaged", i+1, rows)
		}
		a.Ptr[i+1]++
	}
	for i := range rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	at := slices.Clone(a.Ptr[:rows])
	for j := range cols {
		for p := starts[j]; p < starts[j+1]; p++ {
			i := index[p]
			if k := at[i]; k > a.Ptr[i] && a.Col[k-1] == int32(j) {
				return nil, fmt.Errorf("row %d, column %d (counting from 1) has two entries: the file is damaged", i+1, j+1)
			}
			a.Col[at[i]], a.Val[at[i]] = int32(j), values[p]
			at[i]++
		}
	}
	return a, nil
}
