package files

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Options configure reading and writing. The zero value
// reads only files, requires finite entries, and writes float64.
type Options struct {
	Stdin          io.Reader // the source of "-"; nil: there is no standard input
	Float32        bool      // write float32
	AllowNonFinite bool      // accept NaN and infinities
	Missing        bool      // likewise, and read text fields that are empty or denote a missing value as NaN
	MaxBytes       int64     // limit of the peak memory of reading; 0: no limit
	Taken          int64     // the part of MaxBytes that the caller already holds

	Columns, Drop []string // of a table, see [Choice]; none: those in the path, or all

	// Of texts (.csv, .tsv, .txt, .dat and .asc):
	Delimiter byte              // between the fields, a blank for any number of blanks and tabs; 0: by the extension and the first lines
	Comment   string            // what begins a comment; empty: # or % or //, if the text begins with it
	SkipRows  int               // lines that precede the text
	Booleans  bool              // read TRUE and FALSE as 1 and 0
	Thousands byte              // ',' or '.', which separates thousands, so that the other is the decimal mark; 0: the numbers decide
	Note      func(text string) // reports what is left out or transposed without being asked for, such as a line with units; nil: nobody asks

	Transpose bool // the columns of the file are the samples; columns are chosen of the file
}

// note reports what was done to a file.
func (o Options) note(loc location, text string) {
	if o.Note != nil {
		o.Note((&Error{Path: loc.file}).name() + ": " + text)
	}
}

// letsThrough reports whether entries may be NaN or infinite.
func (o Options) letsThrough() bool { return o.AllowNonFinite || o.Missing }

// ReadMatrix reads a matrix as dense float64, one sample in each row. A one-dimensional
// array gives n × 1, a single number 1 × 1; integers, booleans, float16 and
// float32 are converted (integers beyond 2⁵³ are rounded), and the zeros of a sparse file are
// filled in.
//
// NaN or an infinity is an error that names the first row and column, counting
// from 1, unless o allows them. A matrix without rows or columns is an error.
// Every error is an [*Error] with [OpRead].
//
// With Transpose, the matrix is transposed after it is read, which takes its memory twice.
//
// With MaxBytes, the matrix and all additional memory stay within
// the remaining limit; only buffers of less than 1 MiB are not counted. [ExtentOf]
// returns the peak for a file. Without it, a file of unknown
// length is read into memory that grows with its data, up to three times the size
// of the matrix.
func ReadMatrix(path string, o Options) (*mat.Dense, error) {
	m, err := readMatrix(path, o)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	return m, nil
}

func readMatrix(path string, o Options) (*mat.Dense, error) {
	loc, err := locate(path)
	if err != nil {
		return nil, err
	}
	m, err := readDense(loc, o)
	if err != nil {
		return nil, err
	}
	if !o.letsThrough() {
		if err := checkFinite(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// readDense reads a file of any format as a dense matrix.
func readDense(loc location, o Options) (*mat.Dense, error) {
	m, err := loc.readAs(o)
	if err != nil {
		return nil, err
	}
	return m.filled(o.budget())
}

// ReadSparse reads a matrix in compressed rows. A MatrixMarket file in
// coordinates, a sparse matrix of a .mat file and a SciPy matrix in an .npz file stay sparse
// throughout, with the zeros that they store; others are read as by [ReadMatrix], and their zeros are
// dropped. The conditions on entries, and the errors, are the same as for ReadMatrix. Its
// Storage is the matrix in the type of github.com/james-bowman/sparse.
func ReadSparse(path string, o Options) (*sparse.CSR, error) {
	m, err := ReadAny(path, o)
	if err != nil {
		return nil, err
	}
	if a, ok := m.(*sparse.CSR); ok {
		return a, nil
	}
	a, err := dropZeros(m.(*mat.Dense))
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	return a, nil
}

// ReadAny reads a matrix as stored: a MatrixMarket file in coordinates,
// a sparse matrix of a .mat file and a SciPy matrix in an .npz file as a [*sparse.CSR], with the zeros that they
// store, all others as a [*mat.Dense]. The conditions on entries, and the errors,
// are the same as for [ReadMatrix].
func ReadAny(path string, o Options) (mat.Matrix, error) {
	m, err := readAny(path, o)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	if m.sparse != nil {
		return m.sparse, nil
	}
	return m.dense, nil
}

func readAny(path string, o Options) (matrix, error) {
	loc, err := locate(path)
	if err != nil {
		return matrix{}, err
	}
	m, err := loc.readAs(o)
	if err != nil {
		return matrix{}, err
	}
	return m, m.check(o)
}

// ReadSingle reads a matrix stored in float32 in that type, with half the memory of
// [ReadMatrix]: an .npy file in C order, or an array of an HDF5 file. is reports whether the file is one; otherwise nothing is
// read. The conditions on entries, and the errors, are the same as for ReadMatrix.
func ReadSingle(path string, o Options) (rows, cols int, data []float32, is bool, err error) {
	is, err = readInPlace(path, o, func(s source, h npyHeader) (taken bool, err error) {
		if h.dtype.kind != 'f' || h.dtype.size != 4 {
			return false, nil
		}
		rows, cols = h.rows, h.cols
		data, err = readElements[float32](s, h, o)
		return true, err
	})
	return rows, cols, data, is, failure(path, OpRead, err)
}

// ReadStored reads a matrix as [ReadAny] does, but an .npy file in C order or an array of an HDF5 file, of a type
// narrower than float64, as [*neighbors.Stored], with as many bytes as the file has. Booleans become
// uint8. For compressed files, standard input, selected columns and missing values
// it is ReadAny.
func ReadStored(path string, o Options) (mat.Matrix, error) {
	if !o.letsThrough() && len(o.Columns)+len(o.Drop) == 0 {
		var x *neighbors.Stored
		is, err := readInPlace(path, o, func(s source, h npyHeader) (taken bool, err error) {
			read := readerOf(h.dtype)
			if read == nil {
				return false, nil
			}
			x, err = read(s, h, o)
			return true, err
		})
		if err != nil {
			return nil, failure(path, OpRead, err)
		}
		if is {
			return x, nil
		}
	}
	return ReadAny(path, o)
}

// readerOf returns the reader for elements of a type; nil: they are converted to float64.
func readerOf(t dtype) func(s source, h npyHeader, o Options) (*neighbors.Stored, error) {
	switch string([]byte{t.kind, '0' + byte(t.size)}) {
	case "f4":
		return readStored[float32]
	case "f2":
		return readStored[neighbors.Float16]
	case "i1":
		return readStored[int8]
	case "u1", "b1":
		return readStored[uint8]
	case "i2":
		return readStored[int16]
	case "u2":
		return readStored[uint16]
	case "i4":
		return readStored[int32]
	case "u4":
		return readStored[uint32]
	}
	return nil
}

// readStored reads the data behind a header.
func readStored[T neighbors.Number](s source, h npyHeader, o Options) (*neighbors.Stored, error) {
	data, err := readElements[T](s, h, o)
	if err != nil {
		return nil, err
	}
	return neighbors.StoredOf(h.rows, h.cols, data), nil
}

// readInPlace reads an array whose elements can be read directly to their destination: of an .npy file in C
// order and of known length, or of an HDF5 file. is reports whether read has handled it.
func readInPlace(path string, o Options, read func(s source, h npyHeader) (taken bool, err error)) (is bool, err error) {
	loc, err := locate(path)
	if err != nil || loc.format.openArray == nil || loc.file == standard || o.Transpose {
		return false, err
	}
	s, h, is, err := loc.format.openArray(loc, o)
	if err != nil || !is {
		return false, err
	}
	defer s.Close()
	if h.byColumns() {
		return false, nil
	}
	taken, err := read(s, h)
	return taken && err == nil, err
}

// readElements reads the data behind a header in their own type.
func readElements[T neighbors.Number](s source, h npyHeader, o Options) ([]T, error) {
	if err := o.budget().check(fmt.Sprintf("the %d × %d matrix", h.rows, h.cols), float64(h.dtype.size)*float64(h.rows)*float64(h.cols), s.window); err != nil {
		return nil, err
	}
	total, err := dataBytes(s, h)
	if err != nil {
		return nil, err
	}
	data := pages.Make[T](h.rows * h.cols)
	raw := bytesOf(data)
	if n, err := readFull(s, raw); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, truncated(int64(n), total)
	} else if err != nil {
		return nil, err
	}
	switch {
	case h.dtype.swap:
		swapBytes(raw, h.dtype.size)
	case h.dtype.kind == 'b':
		for p, v := range raw {
			raw[p] = min(v, 1)
		}
	}
	if !o.AllowNonFinite {
		if i, j, v := neighbors.StoredOf(h.rows, h.cols, data).NonFinite(); i >= 0 {
			return nil, nonFinite(i, j, v)
		}
	}
	return data, atEnd(s, h)
}
