package sparse

import (
	"slices"

	"github.com/orthant-go/orthant/blas/pages"
)

// Fold leaves of a symmetric matrix its lower triangle, in its own storage, and gives the
// memory of the rest back to the system. [CSR.Unfold] undoes it. In between the matrix
// is a triangle to all others. O(nnz).
func (a *CSR) Fold() {
	end := 0
	for i := range a.Rows {
		cols, vals := a.Row(i)
		count, _ := slices.BinarySearch(cols, int32(i)+1)
		copy(a.Col[end:], cols[:count])
		copy(a.Val[end:], vals[:count])
		a.Ptr[i] = end
		end += count
	}
	a.Ptr[a.Rows] = end
	pages.Release(a.Col[end:])
	pages.Release(a.Val[end:])
	a.Col, a.Val = a.Col[:end], a.Val[:end]
}

// Unfold makes a lower triangle the symmetric matrix that it is the triangle of. Where the
// storage has room for that, it stays where it is. O(nnz).
func (a *CSR) Unfold() {
	ptr := make([]int, a.Rows+1)
	for i := range a.Rows {
		cols, _ := a.Row(i)
		ptr[i+1] += len(cols)
		for _, j := range cols {
			if int(j) < i {
				ptr[j+1]++
			}
		}
	}
	for i := range a.Rows {
		ptr[i+1] += ptr[i]
	}
	// From the last row on: where a row goes, no row before it is.
	full := ptr[a.Rows]
	col, val := inRoom(a.Col, full), inRoom(a.Val, full)
	next := make([]int, a.Rows) // the place behind what is there of each row
	for i := a.Rows - 1; i >= 0; i-- {
		lo, hi := a.Ptr[i], a.Ptr[i+1]
		next[i] = ptr[i] + copy(col[ptr[i]:], a.Col[lo:hi])
		copy(val[ptr[i]:], a.Val[lo:hi])
	}
	// Going through the rows in order leaves the upper part of every row sorted, too.
	for i := range a.Rows {
		for p := ptr[i]; p < next[i]; p++ {
			if j := col[p]; int(j) < i {
				col[next[j]], val[next[j]] = int32(i), val[p]
				next[j]++
			}
		}
	}
	a.Ptr, a.Col, a.Val = ptr, col, val
}

// inRoom is storage for n elements: that of x where it has room.
func inRoom[T pages.Number](x []T, n int) []T {
	if cap(x) >= n {
		return x[:n]
	}
	return pages.Make[T](n)
}
