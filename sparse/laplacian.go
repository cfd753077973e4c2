package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// Edges are weighted edges in lists: sample i is joined to Index[q] with Weight[q] for
// Ptr[i] ≤ q < Ptr[i+1], in any order. A pair may be listed from both ends, and then has the
// sum of both weights; a list names no sample twice.
type Edges struct {
	Ptr    []int
	Index  []int32
	Weight []float64
}

// Len is the number of lists.
func (e Edges) Len() int { return len(e.Ptr) - 1 }

// LaplacianBytes is the most memory that [Laplacian] takes for this many samples and listed
// edges, with its result.
func LaplacianBytes(n, edges int) int64 {
	return 2*int64(12*edges+16*n) + int64(24*edges+20*n)
}

// Laplacian is D − W for the symmetric matrix W of the weights, where D has the row sums of
// W in its diagonal. Every listed edge has an entry, also one of weight 0; an edge of a sample to
// itself has none. A sample without an edge has no entry at all. The sums are taken in the order of
// the lists, so that the result has the same bits for any number of threads and is exactly
// symmetric. O(edges).
func Laplacian(ctx context.Context, threads int, e Edges) (*CSR, error) {
	n := e.Len()
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: %d rows are more than 32-bit indices hold", n)
	}
	back := e.reversed(threads)
	sorted, err := e.sorted(ctx, threads)
	if err != nil {
		return nil, err
	}
	a := &CSR{Rows: n, Cols: n, Ptr: make([]int, n+1)}
	err = blas.For(ctx, threads, n, assemblyRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			a.Ptr[i+1] = mergeRow(i, e, sorted, back, nil, nil)
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = pages.Make[int32](a.Ptr[n]), pages.Make[float64](a.Ptr[n])
	err = blas.For(ctx, threads, n, assemblyRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			mergeRow(i, e, sorted, back, a.Col[a.Ptr[i]:a.Ptr[i+1]], a.Val[a.Ptr[i]:a.Ptr[i+1]])
		}
	})
	return a, err
}

// reversed lists every edge from its other end, ascending.
func (e Edges) reversed(threads int) Edges {
	r := Edges{Index: pages.Make[int32](len(e.Index)), Weight: pages.Make[float64](len(e.Index))}
	ends := reverse(threads, e.Len(), e.Len(), func(i int) []int32 { return e.Index[e.Ptr[i]:e.Ptr[i+1]] })
	ends.each(func(place, i, at int) { r.Index[place], r.Weight[place] = int32(i), e.Weight[e.Ptr[i]+at] })
	r.Ptr = ends.ptr
	return r
}

// sorted lists the edges of every list in ascending order.
func (e Edges) sorted(ctx context.Context, threads int) (Edges, error) {
	s := Edges{Ptr: e.Ptr, Index: pages.Make[int32](len(e.Index)), Weight: pages.Make[float64](len(e.Index))}
	keys := make([][]uint64, blas.Threads(threads)) // of each worker: sample and place
	return s, blas.For(ctx, threads, e.Len(), assemblyRows, func(w, from, to int) {
		for i := from; i < to; i++ {
			lo, hi := e.Ptr[i], e.Ptr[i+1]
			keys[w] = sortedKeys(keys[w], e.Index[lo:hi])
			for at, key := range keys[w] {
				s.Index[lo+at], s.Weight[lo+at] = int32(key>>32), e.Weight[lo+int(uint32(key))]
			}
		}
	})
}

// mergeRow writes row i of the Laplacian, where there are places for it, and returns its
// length. sorted has the lists ascending, and back has them from their other ends.
func mergeRow(i int, e, sorted, back Edges, cols []int32, vals []float64) (length int) {
	diagonal := -1
	put := func(j int32, v float64) {
		if cols != nil {
			cols[length], vals[length] = j, v
		}
		length++
	}
	own, last := sorted.Ptr[i], sorted.Ptr[i+1]
	q, end := back.Ptr[i], back.Ptr[i+1]
	for own < last || q < end {
		var j int32
		var w float64
		switch {
		case q == end || own < last && sorted.Index[own] < back.Index[q]:
			j, w = sorted.Index[own], sorted.Weight[own]
			own++
		case own == last || back.Index[q] < sorted.Index[own]:
			j, w = back.Index[q], back.Weight[q]
			q++
		default:
			j, w = back.Index[q], back.Weight[q]+sorted.Weight[own]
			own++
			q++
		}
		if int(j) == i {
			continue // the edge of a sample to itself
		}
		if int(j) > i && diagonal < 0 {
			diagonal = length
			put(int32(i), 0)
		}
		put(j, -w)
	}
	if length == 0 {
		return 0
	}
	if diagonal < 0 {
		diagonal = length
		put(int32(i), 0)
	}
	if cols != nil {
		vals[diagonal] = degree(i, e, back)
	}
	return length
}

// degree is the sum of the weights of sample i in the order of the lists: those before its
// own, its own, those behind.
func degree(i int, e, back Edges) (sum float64) {
	q, end := back.Ptr[i], back.Ptr[i+1]
	for ; q < end && int(back.Index[q]) < i; q++ {
		sum += back.Weight[q]
	}
	for at := e.Ptr[i]; at < e.Ptr[i+1]; at++ {
		if int(e.Index[at]) != i {
			sum += e.Weight[at]
		}
	}
	for ; q < end; q++ {
		if int(back.Index[q]) != i {
			sum += back.Weight[q]
		}
	}
	return sum
}
