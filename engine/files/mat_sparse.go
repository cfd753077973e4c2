package files

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// readSparse reads a sparse variable, which is kept by compressed columns: the rows of
// all entries, where each column begins among them, and their values.
func (m *matFile) readSparse(h matVariableHeader, e *matElements, b budget) (*sparse.CSR, error) {
	rows, cols := h.dims[0], h.dims[1]
	fits := func(count int) error {
		return b.check(fmt.Sprintf("the sparse %d × %d matrix with room for %d entries", rows, cols, count),
			sparseColumnBytes(count, rows, cols), m.window)
	}
	index, err := matNumbers[int64](e, m.swapped(), -1, b, fits)
	if err != nil {
		return nil, err
	}
	starts, err := matNumbers[int64](e, m.swapped(), cols+1, b, fits)
	if err != nil {
		return nil, err
	}
	count := starts[cols]
	if count < 0 || count > int64(len(index)) || starts[0] != 0 || !slices.IsSorted(starts) {
		return nil, errors.New("the columns of the sparse matrix do not fit its entries: the file is damaged")
	}
	if rows > freeRows && int64(rows)/rowsPerEntry > count {
		return nil, fmt.Errorf("%d rows for only %d entries: leave the empty rows out", rows, count)
	}
	var values []float64
	if count > 0 {
		if values, err = matNumbers[float64](e, m.swapped(), -1, b, fits); err != nil {
			return nil, err
		}
		if int64(len(values)) < count {
			return nil, fmt.Errorf("%d values for %d entries: the file is damaged", len(values), count)
		}
	}
	return compressRows(rows, cols, index[:count], starts, values)
}

// sparseColumnBytes is what reading compressed columns takes: rows and values as they
// come, then both once more by rows, and where rows and columns begin.
func sparseColumnBytes(entries, rows, cols int) float64 {
	return 16*float64(entries) + sparseBytes(entries, rows) + 8*float64(rows) + 8*float64(cols)
}

// Rows without entries cost memory that no byte of the file has paid for: a
// matrix may have freeRows of them, and beyond that rowsPerEntry for each entry.
const (
	freeRows     = 1 << 20
	rowsPerEntry = 64
)

// matNumbers reads an element of numbers, of which there must be want, −1 for any
// number. fits refuses so many as are too many.
func matNumbers[D element](e *matElements, swapped bool, want int, b budget, fits func(count int) error) ([]D, error) {
	s, t, err := e.beginNumbers(swapped)
	if err != nil {
		return nil, err
	}
	count := s.size / int64(t.size)
	if s.size%int64(t.size) != 0 || want >= 0 && count != int64(want) || count > math.MaxInt/16 {
		return nil, fmt.Errorf("%d bytes of numbers in a sparse matrix, want %d numbers: the file is damaged", s.size, want)
	}
	if err := fits(int(count)); err != nil {
		return nil, err
	}
	d := newDecoder[D](s, t, s.size)
	if !b.bounded() {
		return readGrowing(d, int(count))
	}
	data := make([]D, count)
	return data, d.fill(data)
}

// compressRows turns compressed columns into compressed rows.
func compressRows(rows, cols int, index, starts []int64, values []float64) (*sparse.CSR, error) {
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("a %d × %d matrix is outside what 32-bit indices hold", rows, cols)
	}
	a := &sparse.CSR{Rows: rows, Cols: cols, Ptr: make([]int, rows+1), Col: make([]int32, len(index)), Val: make([]float64, len(index))}
	for _, i := range index {
		if i < 0 || i >= int64(rows) {
			return nil, fmt.Errorf("an entry in row %d of %d (counting from 1): the file is damaged", i+1, rows)
		}
		a.Ptr[i+1]++
	}
	for i := range rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	at := slices.Clone(a.Ptr[:rows])
	for j := range cols {
		for p := starts[j]; p < starts[j+1]; p++ {
			i := index[p]
			if k := at[i]; k > a.Ptr[i] && a.Col[k-1] == int32(j) {
				return nil, fmt.Errorf("row %d, column %d (counting from 1) has two entries: the file is damaged", i+1, j+1)
			}
			a.Col[at[i]], a.Val[at[i]] = int32(j), values[p]
			at[i]++
		}
	}
	return a, nil
}
