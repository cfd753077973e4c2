package library

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/orthant-go/orthant/internal/must"
)

// compressed is the 3 × 4 matrix 1 0 2 0 / 0 0 0 0 / 0 3 0 4.
func compressed[I int32 | int64, E float64 | float32 | uint8](indptr, indices []I, data []E) csrView {
	v := csrView{data: unsafe.Pointer(&data[0]), indices: unsafe.Pointer(&indices[0]), indptr: unsafe.Pointer(&indptr[0]), rows: 3, cols: 4, entries: int64(len(data)), indexKind: typeInt32, kind: typeFloat64}
	if unsafe.Sizeof(indices[0]) == 8 {
		v.indexKind = typeInt64
	}
	switch any(data).(type) {
	case []float32:
		v.kind = typeFloat32
	case []uint8:
		v.kind = typeUint8
	}
	return v
}

// Every combination of types gives the same matrix, which shares the arrays that have the engine's types.
func TestCompressedRows(t *testing.T) {
	narrow, wide := []int32{0, 2, 2, 4}, []int64{0, 2, 2, 4}
	cols, wideCols := []int32{0, 2, 1, 3}, []int64{0, 2, 1, 3}
	data := []float64{1, 2, 3, 4}
	for _, v := range []csrView{
		compressed(narrow, cols, data), compressed(wide, wideCols, data), compressed(narrow, cols, []float32{1, 2, 3, 4}), compressed(wide, wideCols, []uint8{1, 2, 3, 4}),
		compressed(narrow, []int32{2, 0, 3, 1}, []float64{2, 1, 4, 3}),                // rows in no order
		compressed(narrow, []int32{0, 2, 1, 3, 9}, []float64{1, 2, 3, 4, math.NaN()}), // more room than entries
	} {
		a := must.Get(v.matrix("A"))(t)
		must.Do(t, a.Validate())
		if !slices.Equal(a.Ptr, []int{0, 2, 2, 4}) || !slices.Equal(a.Col, cols) || !slices.Equal(a.Val, data) || a.Rows != 3 || a.Cols != 4 {
			t.Errorf("%+v", a)
		}
	}
	if a, err := compressed(narrow, cols, data).matrix("A"); err != nil || &a.Col[0] != &cols[0] || &a.Val[0] != &data[0] {
		t.Error("a canonical matrix is copied", err)
	}
	unordered, values := []int32{2, 0, 3, 1}, []float64{2, 1, 4, 3}
	if _, err := compressed(narrow, unordered, values).matrix("A"); err != nil || unordered[0] != 2 || values[0] != 2 {
		t.Error("the caller's memory was sorted", err)
	}
	none := csrView{indptr: unsafe.Pointer(&[]int32{0, 0, 0, 0}[0]), rows: 3, cols: 4, indexKind: typeInt32}
	if a, err := none.matrix("A"); err != nil || a.NNZ() != 0 || a.Validate() != nil {
		t.Error("a matrix without entries:", err)
	}
}

// Errors name their place.
func TestCompressedRowsRefused(t *testing.T) {
	ptr, cols, data := []int32{0, 2, 2, 4}, []int32{0, 2, 1, 3}, []float64{1, 2, 3, 4}
	good := func() csrView { return compressed(ptr, cols, data) }
	with := func(change func(v *csrView)) csrView {
		v := good()
		change(&v)
		return v
	}
	for want, v := range map[string]csrView{
		"A: its indptr is NULL":                                 with(func(v *csrView) { v.indptr = nil }),
		"A: its indices or its data are NULL where there are 4": with(func(v *csrView) { v.indices = nil }),
		"its indices or its data are NULL":                      with(func(v *csrView) { v.data = nil }),
		"its indices are uint8; give int32 or int64":            with(func(v *csrView) { v.indexKind = typeUint8 }),
		"its type is int64; give float64 or float32 or uint8":   with(func(v *csrView) { v.kind = typeInt64 }),
		"it is 0 × 4; give at least one row":                    with(func(v *csrView) { v.rows = 0 }),
		"it has -1 entries":                                     with(func(v *csrView) { v.entries = -1 }),
		"2147483648 × 4 is outside what 32-bit indices hold":    with(func(v *csrView) { v.rows = 1 << 31 }),
		"3 × 5000000000 is outside what 32-bit indices hold":    with(func(v *csrView) { v.cols = 5e9 }),
		"not aligned":                                             with(func(v *csrView) { v.data = unsafe.Add(v.data, 4) }),
		"indptr[0] is 1; let it begin with 0":                     compressed([]int32{1, 2, 2, 4}, cols, data),
		"indptr[2] is 1 behind 2, of 4 entries":                   compressed([]int32{0, 2, 1, 4}, cols, data),
		"indptr[3] is 5 behind 2, of 4 entries":                   compressed([]int32{0, 2, 2, 5}, cols, data),
		"row 2 has an entry in column 4 of a 3 × 4":               compressed(ptr, []int32{0, 2, 1, 4}, data),
		"row 0 has an entry in column -1":                         compressed(ptr, []int32{-1, 2, 1, 3}, data),
		"row 2 has an entry in column 4294967296 of a 3 × 4":      compressed([]int64{0, 2, 2, 4}, []int64{0, 2, 1, 1 << 32}, data),
		"row 2 has column 3 twice (counting from 0); add up what": compressed(ptr, []int32{0, 2, 3, 3}, data),
		"row 0 has column 1 twice":                                compressed([]int32{0, 3, 3, 4}, []int32{1, 0, 1, 3}, data),
		"the entry in row 2, column 1 (counting from 0) is NaN":   compressed(ptr, cols, []float64{1, 2, math.NaN(), 4}),
		"the entry in row 0, column 2 (counting from 0) is +Inf":  compressed(ptr, cols, []float32{1, float32(math.Inf(1)), 3, 4}),
	} {
		must.Refuse(t, want)(v.matrix("A"))
	}
}

// Whatever the arrays of a sparse matrix hold, it is read or refused: nothing panics, and
// nothing beyond them is looked at.
func FuzzCompressedRows(f *testing.F) {
	f.Add([]byte{0, 1, 3, 3}, []byte{2, 0, 1}, int8(3), int8(3))
	f.Add([]byte{0, 2, 1}, []byte{1, 1}, int8(2), int8(4))
	f.Add([]byte{1, 1}, []byte{}, int8(1), int8(1))
	f.Fuzz(func(t *testing.T, pointers, places []byte, rows, cols int8) {
		if rows < 0 || len(pointers) < int(rows)+1 || len(places) == 0 {
			t.Skip()
		}
		indptr, indices := make([]int32, len(pointers)), make([]int64, len(places))
		for i, p := range pointers {
			indptr[i] = int32(int8(p))
		}
		wide := make([]int64, len(pointers))
		narrow, data := make([]int32, len(places)), make([]float64, len(places))
		for i, p := range places {
			indices[i], narrow[i], data[i] = int64(int8(p)), int32(int8(p)), float64(i)
		}
		for i, p := range indptr {
			wide[i] = int64(p)
		}
		one := csrView{data: unsafe.Pointer(&data[0]), indices: unsafe.Pointer(&narrow[0]), indptr: unsafe.Pointer(&indptr[0]),
			rows: int64(rows), cols: int64(cols), entries: int64(len(places)), indexKind: typeInt32, kind: typeFloat64}
		two := one
		two.indices, two.indptr, two.indexKind = unsafe.Pointer(&indices[0]), unsafe.Pointer(&wide[0]), typeInt64
		a, err := one.matrix("A")
		b, err2 := two.matrix("A")
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("%v with narrow indices, %v with wide ones", err, err2)
		}
		if err == nil && (a.Validate() != nil || !slices.Equal(a.Col, b.Col) || !slices.Equal(a.Val, b.Val)) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}
