package files

import (
	"errors"
	"fmt"
	"io"

	"github.com/orthant-go/orthant/sparse"
)

// Blocks reads the rows of a file repeatedly, in pieces of any order, in memory
// that does not grow with their number. It reads like a [RowReader] that can start
// again:
//
//   - .npy in C order, not compressed, at every row;
//   - Parquet at every row group;
//   - compressed rows of SciPy in an .npz file, .csv, .tsv, arrays of .npz and compressed files only
//     from the beginning, and also .npy in Fortran order, because each block is gathered from all
//     columns.
//
// Inputs that a RowReader reads as a whole are held as a whole (see [RowReader.Whole]), and so are
// compressed columns in an .npz file. Standard input can be read only once and is an error.
//
// A Blocks must be used by one goroutine at a time.
type Blocks struct {
	path    string
	options Options
	rows    *RowReader
	stream  *sparseStream // compressed rows in their order; nil: none
}

// OpenBlocks opens a file. The conditions on entries and the errors are the same as for
// [OpenRows].
func OpenBlocks(path string, o Options) (*Blocks, error) {
	b := &Blocks{path: path, options: o}
	loc, err := locate(path)
	if err == nil && loc.file == standard {
		err = errors.New("it is read once, and passes over the data need a file: give one")
	}
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	if !o.Transpose {
		b.stream, err = openSparseStream(loc, o)
	}
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	if b.stream == nil {
		b.rows, err = OpenRows(path, o)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Cols returns the number of columns.
func (b *Blocks) Cols() int {
	if b.stream != nil {
		return b.stream.cols
	}
	return b.rows.Cols()
}

// Rows returns the number of rows, −1 if it is known only at the end.
func (b *Blocks) Rows() int {
	if b.stream != nil {
		return b.stream.rows
	}
	return b.rows.Rows()
}

// Sparse reports whether the rows are compressed. If so, Append reads them, otherwise Next.
func (b *Blocks) Sparse() bool { return b.stream != nil || b.rows.sparse != nil }

// Entries returns the number of entries in a sparse file.
func (b *Blocks) Entries() int {
	if b.stream != nil {
		return b.stream.entries
	}
	if b.rows.sparse != nil {
		return b.rows.sparse.NNZ()
	}
	return 0
}

// Whole explains why the file was read as a whole; "": it was not.
func (b *Blocks) Whole() string {
	if b.stream != nil {
		return ""
	}
	return b.rows.Whole()
}

// Starts returns the rows at which reading can begin, from 0; nil: all.
func (b *Blocks) Starts() []int {
	if b.stream != nil || b.rows.seek == nil {
		return []int{0}
	}
	return b.rows.ahead
}

// Seek moves to a row at which reading can begin.
func (b *Blocks) Seek(row int) error { return failure(b.path, OpRead, b.goTo(row)) }

func (b *Blocks) goTo(row int) (err error) {
	switch {
	case row == 0 && b.stream != nil:
		if b.stream.done > 0 {
			return b.stream.restart()
		}
	case b.stream == nil && b.rows.seek != nil:
		b.rows.err, b.rows.done = nil, row
		return b.rows.seek(row)
	case row == 0 && b.rows.done > 0:
		if err := b.rows.Close(); err != nil {
			return err
		}
		b.rows, err = OpenRows(b.path, b.options)
	case row != 0:
		return fmt.Errorf("row %d (counting from 1) cannot be gone to", row+1)
	}
	return err
}

// Next reads rows as [RowReader.Next] does.
func (b *Blocks) Next(dst []float64) (int, error) {
	if b.stream != nil {
		return 0, failure(b.path, OpRead, errors.New("the rows are compressed"))
	}
	return b.rows.Next(dst)
}

// Append appends at least one and no more than most of the following compressed rows. The end
// is io.EOF with 0.
func (b *Blocks) Append(to *sparse.CSR, most int) (int, error) {
	var part *sparse.CSR
	if b.stream != nil {
		var err error
		if part, err = b.stream.read(most); err != nil {
			return 0, failure(b.path, OpRead, err)
		}
	} else {
		a := b.rows.sparse
		part = a.RowRange(b.rows.done, min(a.Rows, b.rows.done+most))
		b.rows.done += part.Rows
	}
	if part == nil || part.Rows == 0 {
		return 0, io.EOF
	}
	before := len(to.Col)
	to.Col, to.Val = append(to.Col, part.Col...), append(to.Val, part.Val...)
	for _, p := range part.Ptr[1:] {
		to.Ptr = append(to.Ptr, before+p)
	}
	to.Rows += part.Rows
	return part.Rows, nil
}

// Close closes the file. Further calls do nothing.
func (b *Blocks) Close() error {
	if b.stream != nil {
		return failure(b.path, OpRead, b.stream.close())
	}
	return b.rows.Close()
}
