package files

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// matrix is a matrix as a file keeps it; exactly one of the two is set.
type matrix struct {
	dense  *mat.Dense
	sparse *sparse.CSR
}

// asMatrix takes what a reader of dense matrices returns.
func asMatrix(m *mat.Dense, err error) (matrix, error) { return matrix{dense: m}, err }

func (m matrix) dims() (rows, cols int) {
	if m.sparse != nil {
		return m.sparse.Dims()
	}
	return m.dense.Dims()
}

// A sparse file may be made dense where that takes no more than freeCells
// numbers, or cellsPerEntry for each entry that it holds; beyond that a file of
// a few bytes could ask for any amount of memory.
const (
	freeCells     = 1 << 22
	cellsPerEntry = 4096
)

// filled returns the matrix with its zeros filled in.
func (m matrix) filled(b budget) (*mat.Dense, error) {
	rows, cols := m.dims()
	if rows == 0 || cols == 0 {
		return nil, emptyMatrix(rows, cols)
	}
	if m.dense != nil {
		return m.dense, nil
	}
	if err := b.checkMatrix(rows, cols, sparseBytes(m.sparse.NNZ(), rows)); err != nil {
		return nil, err
	}
	cells := float64(rows) * float64(cols)
	if cells > freeCells && cells > cellsPerEntry*float64(m.sparse.NNZ()) {
		return nil, fmt.Errorf("the %d × %d matrix with %d entries is too sparse to be made dense (%s)",
			rows, cols, m.sparse.NNZ(), byteCount(8*cells))
	}
	return m.sparse.Dense(), nil
}

// sparseBytes is what a sparse matrix of so many entries takes.
func sparseBytes(entries, rows int) float64 { return 12*float64(entries) + 8*float64(rows) }

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
