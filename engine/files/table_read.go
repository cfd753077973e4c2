package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
)

// guarded is a table whose reader may panic on a damaged file: libraries of
// involved formats do.
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

// readTable reads a whole table by a function that reads some rows. copies says how
// often the result is held in the end.
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
