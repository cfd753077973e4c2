package files

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// RowReader reads a matrix block by block, in memory that does not grow with
// the number of rows: .npy (also from a pipe), .npz, .csv, .tsv, .mat as MATLAB
// writes it with -v6, and tables by row groups. Some inputs cannot be
// read in parts and are read whole, which [RowReader.Whole] reports: .mtx, whose
// entries come in any order, compressed and sparse arrays of .mat, and arrays in
// Fortran order from a pipe, an archive or a compressed file.
//
// A RowReader must be used by one goroutine at a time.
type RowReader struct {
	path   string
	cols   int
	rows   int // −1: not known before the end
	whole  string
	sparse *sparse.CSR // all rows, if the file is sparse
	finite bool        // entries must be

	next  func(dst []float64) (rows int, err error) // 0 rows: the end
	seek  func(row int) error                       // nil: only in order
	ahead []int                                     // rows to which seek can move; nil: all
	close func() error
	done  int // rows given out
	err   error
}

// OpenRows begins to read a matrix by rows. Accepted files, the conditions on
// entries and the errors are the same as for [ReadMatrix]; o.MaxBytes bounds inputs that must
// be read whole.
func OpenRows(path string, o Options) (*RowReader, error) {
	r := &RowReader{path: path, rows: -1, finite: !o.letsThrough()}
	if err := r.open(o); err != nil {
		r.Close()
		return nil, failure(path, OpRead, err)
	}
	return r, nil
}

func (r *RowReader) open(o Options) error {
	loc, err := locate(r.path)
	if err != nil {
		return err
	}
	if o.Transpose {
		m, err := loc.readAs(o)
		if err != nil {
			return err
		}
		return r.openMatrix(m, "its columns are the samples")
	}
	return loc.format.openRows(r, loc, o)
}

// openContent opens the content of a file that r reads and closes.
func (r *RowReader) openContent(loc location, o Options) (source, error) {
	s, err := openContent(loc, o)
	if err == nil {
		r.close = s.Close
	}
	return s, err
}

// Cols returns the number of columns.
func (r *RowReader) Cols() int { return r.cols }

// Rows returns the number of rows, or −1 if it is known only at the end (.csv and
// .tsv).
func (r *RowReader) Rows() int { return r.rows }

// Whole explains why the input was read as a whole; "": it was not.
func (r *RowReader) Whole() string { return r.whole }

// Next reads as many of the following rows as fit into dst, at least one, and
// returns their number. The end is io.EOF; every other error is an [*Error] with
// [OpRead] that counts rows from the beginning of the file, and is returned again by
// every later call.
func (r *RowReader) Next(dst []float64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if len(dst) < r.cols {
		return 0, failure(r.path, OpRead, fmt.Errorf("there is no room for a row of %d columns", r.cols))
	}
	n, err := r.next(dst[:len(dst)/r.cols*r.cols])
	if err == nil && n == 0 {
		r.err = io.EOF
		return 0, r.err
	}
	if err == nil && r.finite {
		err = r.checkFinite(dst[:n*r.cols])
	}
	if err != nil {
		r.err = failure(r.path, OpRead, err)
		return 0, r.err
	}
	r.done += n
	return n, nil
}

func (r *RowReader) checkFinite(rows []float64) error {
	for p, v := range rows {
		if v-v != 0 {
			return nonFinite(r.done+p/r.cols, p%r.cols, v)
		}
	}
	return nil
}

// Close closes the file. Further calls do nothing.
func (r *RowReader) Close() error {
	if r.close == nil {
		return nil
	}
	err := r.close()
	r.close = nil
	return failure(r.path, OpRead, err)
}

// openWhole reads a matrix whole, if its format cannot be read in blocks.
func openWhole(r *RowReader, loc location, o Options) error {
	m, err := loc.format.read(loc, o)
	if err != nil {
		return err
	}
	return r.openMatrix(m, loc.format.whole)
}

// openMatrix returns the rows of a matrix that had to be read whole.
func (r *RowReader) openMatrix(m matrix, why string) error {
	r.rows, r.cols = m.dims()
	if r.rows == 0 || r.cols == 0 {
		return emptyMatrix(r.rows, r.cols)
	}
	r.whole = why
	if m.sparse != nil {
		if r.next = r.sparseRows(m.sparse); checkSparse(m.sparse, Options{AllowNonFinite: !r.finite}) == nil {
			r.sparse = m.sparse // the others are refused at the entry that is wrong
		}
		return nil
	}
	r.next = r.heldRows(m.dense)
	return nil
}

// heldRows returns the rows of a matrix that was read as a whole.
func (r *RowReader) heldRows(m *mat.Dense) func(dst []float64) (int, error) {
	r.seek = anyRow
	all := m.RawMatrix().Data
	return func(dst []float64) (int, error) {
		return copy(dst, all[r.done*r.cols:]) / r.cols, nil
	}
}

// anyRow goes to a row where next looks at the number of rows given out.
func anyRow(int) error { return nil }

// Sparse returns all rows of a MatrixMarket file in coordinates, in compressed
// form, if none has been returned yet; nil for other files, and if Next
// refuses an entry.
func (r *RowReader) Sparse() *sparse.CSR {
	if r.done > 0 {
		return nil
	}
	return r.sparse
}

// sparseRows fills the rows of a sparse matrix with its zeros.
func (r *RowReader) sparseRows(a *sparse.CSR) func(dst []float64) (int, error) {
	r.seek = anyRow
	return func(dst []float64) (int, error) {
		n := min(len(dst)/r.cols, r.rows-r.done)
		clear(dst[:n*r.cols])
		for i := range n {
			row := dst[i*r.cols : (i+1)*r.cols]
			cols, vals := a.Row(r.done + i)
			for p, j := range cols {
				row[j] = vals[p]
			}
		}
		return n, nil
	}
}
