package library

import (
	"fmt"
	"math"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// The types of entries, as in orthant.h.
const (
	typeFloat64 int32 = 0
	typeFloat32 int32 = 1
	typeUint8   int32 = 2
	typeInt64   int32 = 3
	typeInt32   int32 = 4
	typeFloat16 int32 = 5
	typeInt8    int32 = 6
)

var typeNames = []string{"float64", "float32", "uint8", "int64", "int32", "float16", "int8"}
var typeSizes = []int64{8, 4, 1, 8, 4, 2, 1}

// view is a matrix in the caller's memory.
type view struct {
	data               unsafe.Pointer
	rows, cols, stride int64
	kind               int32
}

// check refuses impossible layouts; what names the matrix.
func (v view) check(what string, kinds ...int32) error {
	known := false
	for _, k := range kinds {
		known = known || v.kind == k
	}
	switch {
	case v.data == nil:
		return fmt.Errorf("%s: its data are NULL", what)
	case !known:
		return fmt.Errorf("%s: its type is %s; give %s", what, typeName(v.kind), listTypes(kinds))
	case v.rows < 1 || v.cols < 1:
		return fmt.Errorf("%s: it is %d × %d; give at least one row and one column", what, v.rows, v.cols)
	case v.stride < v.cols:
		return fmt.Errorf("%s: its stride is %d entries where a row has %d; give the distance from one row to the next, in entries", what, v.stride, v.cols)
	case v.rows > math.MaxInt64/8/v.stride:
		return fmt.Errorf("%s: %d rows of %d entries are more than memory can hold", what, v.rows, v.stride)
	case uintptr(v.data)%uintptr(typeSizes[v.kind]) != 0:
		return fmt.Errorf("%s: its data are not aligned to the %d bytes of a %s", what, typeSizes[v.kind], typeName(v.kind))
	}
	return nil
}

func typeName(kind int32) string {
	if kind >= 0 && int(kind) < len(typeNames) {
		return typeNames[kind]
	}
	return fmt.Sprintf("%d, which is not a type of numbers", kind)
}

func listTypes(kinds []int32) string {
	text := typeNames[kinds[0]]
	for _, k := range kinds[1:] {
		text += " or " + typeNames[k]
	}
	return text
}

// entries is the caller's memory as a slice; the last row ends where its entries do.
func entries[T any](v view) []T {
	return unsafe.Slice((*T)(v.data), (v.rows-1)*v.stride+v.cols)
}

// dense returns a matrix to read: the caller's memory itself if that is float64 (shared), otherwise
// a copy.
func (v view) dense() (x *mat.Dense, shared bool) {
	if v.kind == typeFloat64 {
		x = new(mat.Dense)
		x.SetRawMatrix(blas64.General{Rows: int(v.rows), Cols: int(v.cols), Stride: int(v.stride), Data: entries[float64](v)})
		return x, true
	}
	numbers := make([]float64, v.rows*v.cols)
	switch v.kind {
	case typeFloat32:
		widen(numbers, entries[float32](v), v)
	case typeUint8:
		widen(numbers, entries[uint8](v), v)
	case typeFloat16:
		widen(numbers, entries[neighbors.Float16](v), v)
	case typeInt8:
		widen(numbers, entries[int8](v), v)
	}
	return mat.NewDense(int(v.rows), int(v.cols), numbers), false
}

func widen[T neighbors.Number](dst []float64, src []T, v view) {
	for i := range v.rows {
		row := neighbors.StoredOf(1, int(v.cols), src[i*v.stride:])
		copy(dst[i*v.cols:(i+1)*v.cols], row.Row(0, dst[i*v.cols:(i+1)*v.cols]))
	}
}

// array is an array of a result: floats or integers, without gaps.
type array struct {
	rows, cols int
	numbers    []float64
	columns    [][]float64 // instead of numbers: vectors, which become columns when they are copied
	integers   []int64
}

func (a array) kind() int32 {
	if a.integers != nil {
		return typeInt64
	}
	return typeFloat64
}

// arrayOf makes an array from a matrix.
func arrayOf(m *mat.Dense) array {
	raw := m.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(m).RawMatrix()
	}
	return array{rows: raw.Rows, cols: raw.Cols, numbers: raw.Data}
}

// column makes an array of one column.
func column(v []float64) array { return array{rows: len(v), cols: 1, numbers: v} }

// copyTo fills the caller's buffer.
func (a array) copyTo(v view, what string) error {
	if v.rows != int64(a.rows) || v.cols != int64(a.cols) {
		return fmt.Errorf("%s: the buffer is %d × %d where the array is %d × %d; give one of its shape (orthant_shape)", what, v.rows, v.cols, a.rows, a.cols)
	}
	if a.rows == 0 || a.cols == 0 {
		return nil
	}
	kinds := []int32{typeFloat64, typeFloat32}
	if a.integers != nil {
		kinds = []int32{typeInt64}
	}
	if err := v.check(what, kinds...); err != nil {
		return err
	}
	switch {
	case a.columns != nil && v.kind == typeFloat64:
		sideBySide(entries[float64](v), a.columns, v)
	case a.columns != nil:
		sideBySide(entries[float32](v), a.columns, v)
	case v.kind == typeInt64:
		store(entries[int64](v), a.integers, v)
	case v.kind == typeFloat64:
		store(entries[float64](v), a.numbers, v)
	default:
		store(entries[float32](v), a.numbers, v)
	}
	return nil
}

// sideBySide writes vectors into columns, a few rows at a time, so that they stay in the cache.
func sideBySide[D float64 | float32](dst []D, columns [][]float64, v view) {
	const rows = 16
	for lo := int64(0); lo < v.rows; lo += rows {
		hi := min(lo+rows, v.rows)
		for j, column := range columns {
			at := lo*v.stride + int64(j)
			for _, x := range column[lo:hi] {
				dst[at] = D(x)
				at += v.stride
			}
		}
	}
}

func store[D, S float64 | float32 | int64](dst []D, src []S, v view) {
	for i := range v.rows {
		row := dst[i*v.stride:][:v.cols]
		for j, e := range src[i*v.cols:][:v.cols] {
			row[j] = D(e)
		}
	}
}
