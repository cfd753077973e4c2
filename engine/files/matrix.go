package files

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// matrix is a matrix as stored in a file; exactly one of the two is set.
type matrix struct {
	dense  *mat.Dense
	sparse *sparse.CSR
}

// asMatrix wraps the result of a reader of dense matrices.
func asMatrix(m *mat.Dense, err error) (matrix, error) { return matrix{dense: m}, err }

func (m matrix) dims() (rows, cols int) {
	if m.sparse != nil {
		return m.sparse.Dims()
	}
	return m.dense.Dims()
}

// A sparse file may be made dense if that takes no more than freeCells
// numbers, or cellsPerEntry for each entry that it holds. Otherwise a file of
// a few bytes could request any amount of memory.
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

// transposed returns the transposed matrix, a copy.
func (m matrix) transposed(b budget) (matrix, error) {
	rows, cols := m.dims()
	if m.sparse != nil {
		if rows > math.MaxInt32 {
			return m, fmt.Errorf("a %d × %d matrix is outside what the 32-bit indices of a sparse matrix hold", cols, rows)
		}
		if err := b.check(fmt.Sprintf("the %d × %d matrix with its transpose", rows, cols), 2*sparseBytes(m.sparse.NNZ(), rows+cols), 0); err != nil {
			return m, err
		}
		return matrix{sparse: m.sparse.Transposed()}, nil
	}
	if rows == 0 || cols == 0 {
		return m, emptyMatrix(rows, cols)
	}
	if rows == 1 || cols == 1 {
		return matrix{dense: mat.NewDense(cols, rows, m.dense.RawMatrix().Data)}, nil
	}
	if err := b.check(fmt.Sprintf("the %d × %d matrix with its transpose", rows, cols), 16*float64(rows)*float64(cols), 0); err != nil {
		return m, err
	}
	from, to := m.dense.RawMatrix().Data, pages.Make[float64](rows*cols)
	const tile = 32 // rows and columns that stay in the cache
	_ = blas.For(context.Background(), 0, cols, tile, func(_, lo, hi int) {
		for i := 0; i < rows; i += tile {
			for j := lo; j < hi; j++ {
				for k := i; k < min(i+tile, rows); k++ {
					to[j*rows+k] = from[k*cols+j]
				}
			}
		}
	})
	return matrix{dense: mat.NewDense(cols, rows, to)}, nil
}

// sparseBytes returns the memory of a sparse matrix with the given entries.
func sparseBytes(entries, rows int) float64 { return 12*float64(entries) + 8*float64(rows) }

// dropZeros converts a dense matrix to compressed rows.
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

// check applies the conditions on entries.
func (m matrix) check(o Options) error {
	if m.sparse != nil {
		return checkSparse(m.sparse, o)
	}
	if rows, cols := m.dense.Dims(); rows == 0 || cols == 0 {
		return emptyMatrix(rows, cols)
	}
	if o.letsThrough() {
		return nil
	}
	return checkFinite(m.dense)
}

// checkFinite names the first entry, row by row, that is not finite.
func checkFinite(m *mat.Dense) error {
	raw := m.RawMatrix() // as read, without gaps between rows
	for p, v := range raw.Data {
		if v-v != 0 {
			return nonFinite(p/raw.Cols, p%raw.Cols, v)
		}
	}
	return nil
}

// checkSparse is checkFinite, and the check for emptiness, for a sparse matrix.
func checkSparse(a *sparse.CSR, o Options) error {
	if a.Rows == 0 || a.Cols == 0 {
		return emptyMatrix(a.Rows, a.Cols)
	}
	if o.letsThrough() {
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

func nonFinite(i, j int, v float64) error {
	place := fmt.Sprintf("row %d, column %d (counting from 1) is ", i+1, j+1)
	if math.IsNaN(v) {
		return &MissingError{place + "NaN: remove or impute such entries first"}
	}
	return errors.New(place + "an infinity: remove or impute such entries first")
}

// MissingError is the error of a missing value, which [Options].Missing accepts.
type MissingError struct{ text string }

func (e *MissingError) Error() string { return e.text }

func emptyMatrix(rows, cols int) error {
	return fmt.Errorf("the matrix is empty: %d × %d", rows, cols)
}

// byteCount renders a number of bytes with a binary unit.
func byteCount(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	u := 0
	for n >= 1024 && u < len(units)-1 {
		n /= 1024
		u++
	}
	return fmt.Sprintf("%.4g %s", n, units[u])
}

// checkFloat32 refuses numbers that would become infinite.
func checkFloat32(m mat.Matrix) error {
	rows, _ := m.Dims()
	row := rowReader(m)
	for i := range rows {
		for j, v := range row(i) {
			if math.IsInf(float64(float32(v)), 0) && !math.IsInf(v, 0) {
				return fmt.Errorf("row %d, column %d (counting from 1): %v is beyond float32: write float64", i+1, j+1, v)
			}
		}
	}
	return nil
}
