package sparse

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Entries come in the order of their lists, behind those of lower rows, for any number of threads.
func TestReversal(t *testing.T) {
	const n, lists = 300, 5*reversedLists + 7
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]int32, lists)
	type entry struct{ i, at int }
	var want []entry
	byRow := make([][]entry, n)
	for i := range all {
		for at := range r.IntN(4) {
			row := r.Int32N(n)
			all[i] = append(all[i], row)
			byRow[row] = append(byRow[row], entry{i, at})
		}
	}
	for _, row := range byRow {
		want = append(want, row...)
	}
	for _, threads := range []int{1, 2, 3, 20} {
		v := reverse(threads, n, lists, func(i int) []int32 { return all[i] })
		got := make([]entry, v.ptr[n])
		v.each(func(place, i, at int) { got[place] = entry{i, at} })
		if !slices.Equal(got, want) {
			t.Errorf("%d threads: the entries are in another order", threads)
		}
		for row := range n {
			if v.ptr[row+1]-v.ptr[row] != len(byRow[row]) {
				t.Errorf("%d threads: row %d has %d entries, want %d", threads, row, v.ptr[row+1]-v.ptr[row], len(byRow[row]))
			}
		}
	}
	if v := reverse(2, 3, 0, nil); v.ptr[3] != 0 {
		t.Error("no lists have entries")
	}
}
