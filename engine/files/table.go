package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
)

// Table is a table being read, with its selected columns.
type Table interface {
	Names() []string // names of the selected columns
	Rows() int       // −1: unknown before the end
	Integer() bool   // whether NextIntegers is exact

	// Next fills dst, row by row, with at least one of the following rows,
	// and returns their number; 0 is the end. A missing
	// value is an error that names its row, counting from 1, and its column.
	Next(dst []float64) (rows int, err error)
	// NextIntegers is Next for columns of integers.
	NextIntegers(dst []int64) (rows int, err error)
	Close() error
}

// Grouped is a table that can be read from the beginning of each group of its rows.
type Grouped interface {
	Table
	Groups() []int         // first row of each group, ascending
	SeekGroup(i int) error // the next row is the first of group i
}

// TableType describes a table to be written.
type TableType struct {
	Names []string
	Type  NumberType // of all columns
}

// NumberType is the type of the numbers of a table.
type NumberType int

// The types that are written.
const (
	Float64 NumberType = iota
	Float32
	Int64
)

// TableWriter is a table being written. Rows come as float64 or, for Int64, as
// int64; the writer must not keep them. Close completes the table.
type TableWriter interface {
	WriteRow(row []float64) error
	WriteIntegers(row []int64) error
	Close() error
}

// guarded is a table whose reader may panic on a damaged file, as libraries of
// complex formats do.
type guarded struct {
	Table
	name   string
	file   disk.File
	size   int64
	memory *Memory
}

func (g *guarded) Next(dst []float64) (n int, err error) {
	defer damaged(g.name, &err)
	return g.Table.Next(dst)
}

func (g *guarded) NextIntegers(dst []int64) (n int, err error) {
	defer damaged(g.name, &err)
	return g.Table.NextIntegers(dst)
}

func (g *guarded) Close() (err error) {
	defer damaged(g.name, &err)
	return errors.Join(g.Table.Close(), g.file.Close())
}

func damaged(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the %s file is damaged (%s)", name, strings.ReplaceAll(fmt.Sprint(p), "\n", " "))
	}
	if e, is := errors.AsType[*tooLarge](*err); is {
		*err = e // without what a library says of its panic
	}
}

// openTable opens a table.
func openTable(loc location, o Options) (*guarded, error) {
	f, size, err := openRegular(loc.file, "a "+loc.format.Name+" file")
	if err != nil {
		return nil, err
	}
	g := &guarded{name: loc.format.Name, file: f, size: size, memory: &Memory{budget: o.budget()}}
	choice, err := loc.choice(o)
	if err != nil {
		f.Close()
		return nil, err
	}
	if g.Table, err = startTable(loc, choice, io.NewSectionReader(f, 0, size), g.memory); err != nil {
		f.Close()
		return nil, err
	}
	return g, nil
}

func startTable(loc location, choice Choice, file *io.SectionReader, m *Memory) (t Table, err error) {
	defer damaged(loc.format.Name, &err)
	if file.Size() == 0 {
		return nil, errors.New("the file is empty")
	}
	if t, err = loc.format.Open(file, choice, m); err != nil {
		return nil, err
	}
	if cols, rows := len(t.Names()), t.Rows(); rows == 0 || cols == 0 || rows > 0 && rows > math.MaxInt/16/cols {
		t.Close()
		return nil, fmt.Errorf("the table is empty, or beyond any memory: %d × %d", rows, cols)
	}
	return t, nil
}

// readTable reads a whole table with a function that reads some rows. copies is the
// number of copies of the result at the end.
func readTable[D element](t *guarded, copies float64, next func([]D) (int, error)) ([]D, error) {
	cols, rows := len(t.Names()), t.Rows()
	fits := func(rows int) error {
		return t.memory.holds(rows, cols, (copies-1)*8*float64(rows)*float64(cols))
	}
	if err := fits(max(rows, 0)); err != nil {
		return nil, err
	}
	var data []D
	// Without a limit, rows that the bytes of the file cannot vouch for get memory as they come.
	if rows > 0 && (t.memory.budget.bounded() || int64(rows)*int64(cols)/plausibleRatio <= t.size) {
		data = make([]D, 0, rows*cols)
	}
	for rows < 0 || len(data) < rows*cols {
		if cap(data)-len(data) < cols {
			data = slices.Grow(data, max(cols, 1<<15, len(data)))
		}
		room := data[len(data):cap(data)]
		n, err := next(room[:len(room)/cols*cols])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		data = data[:len(data)+n*cols]
		if rows < 0 {
			if err := fits(cap(data) / cols); err != nil {
				return nil, err
			}
		}
	}
	if rows >= 0 && len(data) != rows*cols {
		return nil, fmt.Errorf("the table has %d rows where it declares %d: the file is damaged", len(data)/cols, rows)
	}
	if len(data) == 0 {
		return nil, emptyMatrix(0, cols)
	}
	return data, nil
}

func readTableMatrix(loc location, o Options) (matrix, error) {
	t, err := openTable(loc, o)
	if err != nil {
		return matrix{}, err
	}
	defer t.Close()
	data, err := readTable(t, 1, t.Next)
	if err != nil {
		return matrix{}, err
	}
	cols := len(t.Names())
	return matrix{dense: mat.NewDense(len(data)/cols, cols, data)}, nil
}

func readTableLabels(loc location, o Options) ([]int64, error) {
	t, err := openTable(loc, o)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if names := t.Names(); len(names) > 1 {
		return nil, fmt.Errorf("labels are one column, and the table has %d: name one, as in %s:%s", len(names), loc.file, names[len(names)-1])
	}
	if t.Integer() {
		return readTable(t, 1, t.NextIntegers)
	}
	v, err := readTable(t, 2, t.Next) // the numbers, and the labels that they become
	if err != nil {
		return nil, err
	}
	return wholeNumbers(v)
}

// openTableRows begins to read a table, a group of its rows after the other.
func openTableRows(r *RowReader, loc location, o Options) error {
	t, err := openTable(loc, o)
	if err != nil {
		return err
	}
	r.close, r.rows, r.cols = t.Close, t.Rows(), len(t.Names())
	if g, grouped := t.Table.(Grouped); grouped && r.rows >= 0 {
		r.ahead = g.Groups()
		r.seek = func(row int) (err error) {
			defer damaged(t.name, &err)
			at, found := slices.BinarySearch(r.ahead, row)
			if !found {
				return fmt.Errorf("row %d (counting from 1) does not begin a group", row+1)
			}
			return g.SeekGroup(at)
		}
	}
	r.next = func(dst []float64) (int, error) {
		if r.rows >= 0 && r.done == r.rows {
			return 0, nil
		}
		n, err := t.Next(dst)
		if err == nil && n == 0 && (r.rows >= 0 || r.done == 0) {
			err = fmt.Errorf("the table has %d rows where it declares %d: the file is damaged", r.done, max(r.rows, 0))
		}
		return n, err
	}
	return nil
}

// tableNames returns the names of columns to be written: the given ones, or x1, x2, …
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
	for i := range v.rows {
		if err := t.WriteIntegers(v.row(i)); err != nil {
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
