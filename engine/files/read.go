package files

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Options are what a caller may set about reading and writing. The zero value
// reads files only, wants finite entries, and writes float64.
type Options struct {
	Stdin          io.Reader // what "-" reads; nil where there is no standard input
	Float32        bool      // write float32
	AllowNonFinite bool      // let NaN and infinities through
	Missing        bool      // likewise, and read fields of text as NaN that are empty, or say that there is no value
	MaxBytes       int64     // refuse what would take more memory at the peak of reading; 0: no limit
	Taken          int64     // of MaxBytes, by what the caller holds already

	Delimiter     byte     // of .csv and .tsv to be read; 0: the comma, or ; where the first lines show that, and the tab
	Columns, Drop []string // of a table, see [Choice]; none: as the path says, or all

}

// letsThrough reports whether entries may be NaN or infinite.
func (o Options) letsThrough() bool { return o.AllowNonFinite || o.Missing }

// ReadMatrix reads a matrix as dense float64, one sample a row. A file with one
// dimension gives n × 1, a single number 1 × 1; integers, booleans, float16 and
// float32 are converted (integers beyond 2⁵³ are rounded), and a sparse file is
// filled with zeros.
//
// NaN or an infinity is an error that names the first row and column, counting
// from 1, unless o allows them. A matrix without rows or columns is an error.
// Every error is an [*Error] with [OpRead].
//
// With MaxBytes the matrix and all that is held with it on the way stay within
// what is left of it; only buffers of less than 1 MiB are not counted. [ExtentOf]
// is the peak of a file. Without, a file that is read from its beginning to its end
// without its length being known gets memory as its data come, up to three times that
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

// readDense reads a file of any format with its zeros filled in.
func readDense(loc location, o Options) (*mat.Dense, error) {
	m, err := loc.format.read(loc, o)
	if err != nil {
		return nil, err
	}
	return m.filled(o.budget())
}

// ReadSparse reads a matrix in compressed rows. A MatrixMarket file in
// coordinates, a sparse matrix of a .mat file and one of SciPy in an .npz file stay sparse
// all the way, with the zeros that they store; others are read as by [ReadMatrix] and their zeros
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

// ReadAny reads a matrix as the file keeps it: a MatrixMarket file in coordinates,
// a sparse matrix of a .mat file and one of SciPy in an .npz file as a [*sparse.CSR], with the zeros that they
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
	m, err := loc.format.read(loc, o)
	if err != nil {
		return matrix{}, err
	}
	return m, m.check(o)
}

// ReadSingle reads a matrix that is stored in float32 as it is, in half the memory that
// [ReadMatrix] takes: an .npy file in C order. is reports whether the file is one; nothing is
// read of others. The conditions on entries, and the errors, are the same as for ReadMatrix.
func ReadSingle(path string, o Options) (rows, cols int, data []float32, is bool, err error) {
	loc, err := locate(path)
	if err != nil || loc.format.Name != npyFormat.Name || loc.file == standard {
		return 0, 0, nil, false, failure(path, OpRead, err)
	}
	s, err := openContent(loc, o)
	if err != nil {
		return 0, 0, nil, false, failure(path, OpRead, err)
	}
	defer s.Close()
	h, err := readNPYHeader(s)
	if err != nil {
		return 0, 0, nil, false, failure(path, OpRead, err)
	}
	if h.dtype.kind != 'f' || h.dtype.size != 4 || h.byColumns() || s.size < 0 {
		return 0, 0, nil, false, nil
	}
	data, err = readSingles(s, h, o)
	return h.rows, h.cols, data, err == nil, failure(path, OpRead, err)
}

// readSingles reads the data behind a header.
func readSingles(s source, h npyHeader, o Options) ([]float32, error) {
	if err := o.budget().check(fmt.Sprintf("the %d × %d matrix", h.rows, h.cols), 4*float64(h.rows)*float64(h.cols), 0); err != nil {
		return nil, err
	}
	total, err := dataBytes(s, h)
	if err != nil {
		return nil, err
	}
	data := make([]float32, h.rows*h.cols)
	raw := bytesOf(data)
	if n, err := io.ReadFull(s, raw); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, truncated(int64(n), total)
	} else if err != nil {
		return nil, err
	}
	if h.dtype.swap {
		swapBytes(raw, 4)
	}
	if !o.AllowNonFinite {
		for p, v := range data {
			if v-v != 0 {
				return nil, nonFinite(p/h.cols, p%h.cols, float64(v))
			}
		}
	}
	return data, atEnd(s, h)
}
