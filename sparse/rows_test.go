package sparse

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestRowRange(t *testing.T) {
	a := &CSR{Rows: 4, Cols: 3, Ptr: []int{0, 2, 2, 3, 5}, Col: []int32{0, 2, 1, 0, 1}, Val: []float64{1, 2, 3, 4, 5}}
	whole := a.Dense()
	for lo := range 5 {
		for hi := lo; hi <= 4; hi++ {
			b := a.RowRange(lo, hi)
			if b.Rows != hi-lo || b.Cols != 3 || b.NNZ() != a.Ptr[hi]-a.Ptr[lo] {
				t.Fatalf("rows %d to %d: %+v", lo, hi, b)
			}
			if hi > lo && !mat.Equal(b, whole.Slice(lo, hi, 0, 3)) {
				t.Errorf("rows %d to %d are others", lo, hi)
			}
		}
	}
	a.RowRange(2, 4).Val[0] = 7
	if a.Val[2] != 7 {
		t.Error("the storage is not shared")
	}
}
