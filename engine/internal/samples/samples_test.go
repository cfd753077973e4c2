package samples

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Samples in another order are those of a copy, in whichever way they are looked at, and take no memory
// for their entries.
func TestReordered(t *testing.T) {
	x := Of(mat.NewDense(4, 2, []float64{0, 1, 2, 3, 4, 5, 6, 7})).Labeled([]int64{10, 11, 12, 13})
	order, again := []int{2, 0, 3, 1}, []int{1, 3, 0, 2}
	whole, copied := x.Reordered(order).Reordered(again), x.Subset(order).Subset(again)
	for _, lo := range []int{0, 1} {
		got, want := whole.Range(lo, 4), copied.Range(lo, 4)
		for i := range want.N() {
			if !slices.Equal(got.Row(i), want.Row(i)) || got.Number(i) != want.Number(i) || got.Labels()[i] != want.Labels()[i] {
				t.Errorf("sample %d from %d: %v, number %d, label %d", i, lo, got.Row(i), got.Number(i), got.Labels()[i])
			}
		}
		if !slices.Equal(got.Data(), want.Data()) || !mat.Equal(got.Matrix(), want.Matrix()) || !slices.Equal(got.Points().Data, want.Points().Data) {
			t.Errorf("from %d: the entries are %v, want %v", lo, got.Data(), want.Data())
		}
	}
	if &whole.Row(0)[0] != &x.Row(order[again[0]])[0] {
		t.Error("the entries were copied")
	}
	if whole.Bytes() != x.Bytes() || whole.OwnBytes() >= copied.OwnBytes() {
		t.Errorf("%d bytes of %d are its own, where a copy has %d", whole.OwnBytes(), whole.Bytes(), copied.OwnBytes())
	}
	moved := whole.WithData([]float64{9, 9, 8, 8, 7, 7, 6, 6})
	if !slices.Equal(moved.Row(2), []float64{7, 7}) {
		t.Errorf("row 2 of moved samples is %v", moved.Row(2))
	}
	compressed := OfCompressed(&sparse.CSR{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{5, 6}}).Reordered([]int{1, 0})
	if cols, vals := compressed.Compressed().Row(0); cols[0] != 1 || vals[0] != 6 {
		t.Errorf("row 0 of compressed samples is %v in the columns %v", vals, cols)
	}
}
