package library

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"github.com/orthant-go/orthant/sparse"
)

// csrView is an orthant_csr: a sparse matrix in compressed rows, in the caller's memory.
type csrView struct {
	data, indices, indptr unsafe.Pointer
	rows, cols, entries   int64
	indexKind, kind       int32
}

// check refuses impossible layouts; what names the matrix.
func (v csrView) check(what string) error {
	switch {
	case v.indptr == nil:
		return fmt.Errorf("%s: its indptr is NULL", what)
	case v.indexKind != typeInt32 && v.indexKind != typeInt64:
		return fmt.Errorf("%s: its indices are %s; give %s", what, typeName(v.indexKind), listTypes([]int32{typeInt32, typeInt64}))
	case v.kind != typeFloat64 && v.kind != typeFloat32 && v.kind != typeUint8:
		return fmt.Errorf("%s: its type is %s; give %s", what, typeName(v.kind), listTypes([]int32{typeFloat64, typeFloat32, typeUint8}))
	case v.rows < 1 || v.cols < 1:
		return fmt.Errorf("%s: it is %d × %d; give at least one row and one column", what, v.rows, v.cols)
	case v.rows > math.MaxInt32 || v.cols > math.MaxInt32:
		return fmt.Errorf("%s: %d × %d is outside what 32-bit indices hold; give fewer than 2³¹ rows and columns", what, v.rows, v.cols)
	case v.entries < 0 || v.entries > math.MaxInt64/16:
		return fmt.Errorf("%s: it has %d entries; give the length of indices and data", what, v.entries)
	case v.entries > 0 && (v.data == nil || v.indices == nil):
		return fmt.Errorf("%s: its indices or its data are NULL where there are %d entries", what, v.entries)
	}
	index, size := uintptr(typeSizes[v.indexKind]), uintptr(typeSizes[v.kind])
	if uintptr(v.indptr)%index != 0 || uintptr(v.indices)%index != 0 || uintptr(v.data)%size != 0 {
		return fmt.Errorf("%s: its arrays are not aligned to their entries, %d bytes of indptr and indices and %d of data", what, index, size)
	}
	return nil
}

// bytes is the memory that the matrix takes at most, in addition to the caller's.
func (v csrView) bytes() int64 {
	need := int64(0)
	if v.indexKind == typeInt32 {
		need += 8 * (v.rows + 1)
	} else {
		need += 4 * v.entries
	}
	if v.kind != typeFloat64 {
		need += 8 * v.entries
	}
	return need
}

// held is the caller's memory.
func (v csrView) held() int64 {
	return typeSizes[v.indexKind]*(v.rows+1+v.entries) + typeSizes[v.kind]*v.entries
}

// matrix returns the matrix, which is valid ([sparse.CSR.Validate]). If the columns of every row
// ascend, it shares the arrays that have the engine's types: float64 data, int32 indices, an int64
// indptr. Rows in another order are sorted in a copy; a duplicate entry is an error.
func (v csrView) matrix(what string) (*sparse.CSR, error) {
	a, err := v.asStored(what)
	if err != nil || len(a.Col) == 0 {
		return a, err
	}
	return ascending(what, a)
}

// asStored is matrix, but keeps the caller's order of the columns of a row, and duplicate entries.
func (v csrView) asStored(what string) (*sparse.CSR, error) {
	if err := v.check(what); err != nil {
		return nil, err
	}
	a := &sparse.CSR{Rows: int(v.rows), Cols: int(v.cols)}
	if v.indexKind == typeInt64 {
		a.Ptr = unsafe.Slice((*int)(v.indptr), v.rows+1) // int is 64 bits wide on all platforms of the library
	} else {
		a.Ptr = make([]int, v.rows+1)
		for i, p := range unsafe.Slice((*int32)(v.indptr), v.rows+1) {
			a.Ptr[i] = int(p)
		}
	}
	if err := v.pointers(what, a.Ptr); err != nil {
		return nil, err
	}
	entries := a.Ptr[v.rows]
	if entries == 0 {
		return a, nil
	}
	if v.indexKind == typeInt32 {
		a.Col = unsafe.Slice((*int32)(v.indices), entries)
		if err := columns(what, a, a.Col); err != nil {
			return nil, err
		}
	} else {
		wide := unsafe.Slice((*int64)(v.indices), entries)
		if err := columns(what, a, wide); err != nil {
			return nil, err
		}
		a.Col = make([]int32, entries)
		for p, j := range wide {
			a.Col[p] = int32(j)
		}
	}
	switch v.kind {
	case typeFloat64:
		a.Val = unsafe.Slice((*float64)(v.data), entries)
	case typeFloat32:
		a.Val = widened(unsafe.Slice((*float32)(v.data), entries))
	default:
		a.Val = widened(unsafe.Slice((*uint8)(v.data), entries))
	}
	return a, finiteValues(what, a)
}

func widened[T float32 | uint8](from []T) []float64 {
	to := make([]float64, len(from))
	for p, e := range from {
		to[p] = float64(e)
	}
	return to
}

// pointers refuses an indptr that does not partition the entries.
func (v csrView) pointers(what string, indptr []int) error {
	if indptr[0] != 0 {
		return fmt.Errorf("%s: indptr[0] is %d; let it begin with 0", what, indptr[0])
	}
	for i, p := range indptr[:v.rows] {
		if next := indptr[i+1]; next < p || int64(next) > v.entries {
			return fmt.Errorf("%s: indptr[%d] is %d behind %d, of %d entries; let indptr ascend to at most their number", what, i+1, next, p, v.entries)
		}
	}
	return nil
}

// columns refuses indices outside the matrix.
func columns[T int32 | int64](what string, a *sparse.CSR, indices []T) error {
	for i := range a.Rows {
		for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
			if j := int64(indices[p]); j < 0 || j >= int64(a.Cols) {
				return fmt.Errorf("%s: row %d has an entry in column %d of a %d × %d matrix (counting from 0, indices[%d]); correct its indices", what, i, j, a.Rows, a.Cols, p)
			}
		}
	}
	return nil
}

func finiteValues(what string, a *sparse.CSR) error {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, x := range vals {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%s: the entry in row %d, column %d (counting from 0) is %v; give finite numbers", what, i, cols[p], x)
			}
		}
	}
	return nil
}

// ascending returns a if the columns of every row ascend, otherwise a sorted copy.
func ascending(what string, a *sparse.CSR) (*sparse.CSR, error) {
	copied := false
	for i := range a.Rows {
		cols, _ := a.Row(i)
		if !slices.IsSorted(cols) {
			if !copied {
				a = &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
				copied = true
			}
			cols, vals := a.Row(i)
			sort.Stable(entriesOfRow{cols, vals})
		}
		cols, _ = a.Row(i)
		for p := 1; p < len(cols); p++ {
			if cols[p] == cols[p-1] {
				return nil, fmt.Errorf("%s: row %d has column %d twice (counting from 0); add up what is at one place (SciPy: A.sum_duplicates())", what, i, cols[p])
			}
		}
	}
	return a, nil
}

// entriesOfRow sorts by column.
type entriesOfRow struct {
	cols []int32
	vals []float64
}

func (e entriesOfRow) Len() int           { return len(e.cols) }
func (e entriesOfRow) Less(p, q int) bool { return e.cols[p] < e.cols[q] }
func (e entriesOfRow) Swap(p, q int) {
	e.cols[p], e.cols[q] = e.cols[q], e.cols[p]
	e.vals[p], e.vals[q] = e.vals[q], e.vals[p]
}
