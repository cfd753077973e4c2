package files

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

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
	raw := m.RawMatrix() // as read: without gaps between rows
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

// MissingError is the error of a value that is missing, which [Options].Missing lets through.
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
