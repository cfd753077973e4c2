package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// reversal sorts the entries of lists by the rows that they name, and those of one row by their lists: row r is named by
// the entries at the places from ptr[r] to ptr[r+1]. Threads take consecutive lists, and where their entries belong is
// counted before: every entry has one place for any number of threads.
type reversal struct {
	ptr   []int
	lists int
	list  func(i int) []int32
	size  int       // of a part, in lists
	next  [][]int32 // of each part: the place of its next entry that names a row, behind ptr of the row
}

const (
	// reversedParts bounds the parts, each of which has a counter for every row.
	reversedParts = 8
	// reversedLists is the number of lists in a part, at least.
	reversedLists = 2048
)

// reverse counts the entries of lists that name rows below n.
func reverse(threads, n, lists int, list func(i int) []int32) *reversal {
	parts := max(1, min(blas.Threads(threads), reversedParts, lists/reversedLists))
	r := &reversal{ptr: make([]int, n+1), lists: lists, list: list, size: max(1, (lists+parts-1)/parts)}
	r.next = make([][]int32, (lists+r.size-1)/r.size)
	r.parts(func(part, lo, hi int) {
		count := pages.Make[int32](n)
		for i := lo; i < hi; i++ {
			for _, row := range list(i) {
				count[row]++
			}
		}
		r.next[part] = count
	})
	for row := range n {
		total := int32(0)
		for _, count := range r.next {
			count[row], total = total, total+count[row]
		}
		r.ptr[row+1] = r.ptr[row] + int(total)
	}
	return r
}

// each visits every entry once, list[at] of list i, with its place. Calls for different lists overlap.
func (r *reversal) each(visit func(place, i, at int)) {
	r.parts(func(part, lo, hi int) {
		next := r.next[part]
		for i := lo; i < hi; i++ {
			for at, row := range r.list(i) {
				visit(r.ptr[row]+int(next[row]), i, at)
				next[row]++
			}
		}
	})
	r.next = nil
}

func (r *reversal) parts(do func(part, lo, hi int)) {
	// The context is never cancelled, so neither is the loop.
	_ = blas.For(context.Background(), len(r.next), r.lists, r.size, func(_, lo, hi int) { do(lo/r.size, lo, hi) })
}
