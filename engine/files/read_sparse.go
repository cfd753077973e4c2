package files

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// either is a matrix of a format that keeps dense and sparse ones; exactly one of
// the two is set.
type either struct {
	full   *mat.Dense
	sparse *sparse.CSR
}

// readEither reads a file of such a format.
func readEither(loc location, o Options) (either, error) {
	if loc.format == formatMAT {
		return readMAT(loc, o)
	}
	market, err := readMarket(loc, o)
	return either{market.Dense, market.Sparse}, err
}

func (m either) dims() (rows, cols int) {
	if m.sparse != nil {
		return m.sparse.Dims()
	}
	return m.full.Dims()
}

// check applies the conditions on entries.
func (m either) check(o Options) error {
	if m.sparse != nil {
		return checkSparse(m.sparse, o)
	}
	if rows, cols := m.full.Dims(); rows == 0 || cols == 0 {
		return emptyMatrix(rows, cols)
	}
	if o.AllowNonFinite {
		return nil
	}
	return checkFinite(m.full)
}

// A sparse file may be made dense where that takes no more than freeCells
// numbers, or cellsPerEntry for each entry that it holds; beyond that a file of
// a few bytes could ask for any amount of memory.
const (
	freeCells     = 1 << 22
	cellsPerEntry = 4096
)

// dense gives the matrix with its zeros filled in.
func (m either) dense(limit int64) (*mat.Dense, error) {
	rows, cols := m.dims()
	if rows == 0 || cols == 0 {
		return nil, emptyMatrix(rows, cols)
	}
	if err := checkMemory(rows, cols, limit); err != nil {
		return nil, err
	}
	if m.full != nil {
		return m.full, nil
	}
	cells := float64(rows) * float64(cols)
	if cells > freeCells && cells > cellsPerEntry*float64(m.sparse.NNZ()) {
		return nil, fmt.Errorf("the %d × %d matrix with %d entries is too sparse to be made dense (%s)",
			rows, cols, m.sparse.NNZ(), byteCount(8*cells))
	}
	return m.sparse.Dense(), nil
}

// ReadSparse reads a matrix in compressed rows. A MatrixMarket file in
// coordinates and a sparse matrix of a .mat file stay sparse all the way, with
// the zeros that they store; others are read as by [ReadMatrix] and their zeros
// dropped. The conditions on entries, and the errors, are those of ReadMatrix.
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

// ReadAny reads a matrix as the file keeps it: a MatrixMarket file in coordinates
// and a sparse matrix of a .mat file as a [*sparse.CSR], with the zeros that they
// store, all others as a [*mat.Dense]. The conditions on entries, and the errors,
// are those of [ReadMatrix].
func ReadAny(path string, o Options) (mat.Matrix, error) {
	loc, err := locate(path)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	if loc.format != formatMarket && loc.format != formatMAT {
		m, err := ReadMatrix(path, o)
		if err != nil {
			return nil, err // and not a nil matrix in an interface
		}
		return m, nil
	}
	m, err := readEither(loc, o)
	if err == nil {
		err = m.check(o)
	}
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	if m.sparse != nil {
		return m.sparse, nil
	}
	return m.full, nil
}

// checkSparse is checkFinite, and the check for emptiness, for a sparse matrix.
func checkSparse(a *sparse.CSR, o Options) error {
	if a.Rows == 0 || a.Cols == 0 {
		return emptyMatrix(a.Rows, a.Cols)
	}
	if o.AllowNonFinite {
		return nil
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, v := range vals {
			if v-v != 0 {
				return nonFinite(i, int(cols[p]), v)
			}
		}
	}
	return nil
}

// dropZeros gives a dense matrix in compressed rows.
func dropZeros(m *mat.Dense) (*sparse.CSR, error) {
	raw := m.RawMatrix()
	if raw.Rows > math.MaxInt32 || raw.Cols > math.MaxInt32 {
		return nil, fmt.Errorf("a %d × %d matrix is outside what the 32-bit indices of a sparse matrix hold", raw.Rows, raw.Cols)
	}
	a := &sparse.CSR{Rows: raw.Rows, Cols: raw.Cols, Ptr: make([]int, raw.Rows+1)}
	count := 0
	for _, v := range raw.Data {
		if v != 0 {
			count++
		}
	}
	a.Col = make([]int32, 0, count)
	a.Val = make([]float64, 0, count)
	for i := range raw.Rows {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols] {
			if v != 0 {
				a.Col = append(a.Col, int32(j))
				a.Val = append(a.Val, v)
			}
		}
		a.Ptr[i+1] = len(a.Col)
	}
	return a, nil
}
