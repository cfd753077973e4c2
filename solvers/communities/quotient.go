package communities

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// merge returns the graph whose vertices are the parts of g: the weights between them, and within them on the diagonal, are sums.
func (s *search) merge(g *graph, part []int32, parts int) (*graph, error) {
	order, first := s.space.membersOf(part, parts)
	q := &graph{ptr: make([]int, parts+1), size: pages.Make[float64](parts)}
	type block struct {
		col []int32
		val []float64
	}
	rows := 1 + parts/64
	blocks := make([]block, (parts+rows-1)/rows)
	for len(s.space.workers) < s.threads {
		s.space.workers = append(s.space.workers, worker{})
	}
	err := blas.For(s.ctx, s.threads, parts, rows, func(at, lo, hi int) {
		w := &s.space.workers[at]
		if w.to == nil {
			w.to = pages.Make[float64](len(s.space.order))
		}
		b := &blocks[lo/rows]
		for p := lo; p < hi; p++ {
			touched := w.touched[:0]
			for _, i := range order[first[p]:first[p+1]] {
				q.size[p] += g.size[i]
				cols, vals := g.row(i)
				for at, j := range cols {
					d := part[j]
					if w.to[d] == 0 {
						touched = append(touched, d)
					}
					w.to[d] += vals[at]
				}
			}
			if s.sorted {
				slices.Sort(touched)
			}
			for _, d := range touched {
				if w.to[d] > 0 { // an entry of 0 may be listed twice
					b.col, b.val = append(b.col, d), append(b.val, w.to[d])
					w.to[d] = 0
				}
			}
			q.ptr[p+1] = len(b.col)
			w.touched = touched
		}
	})
	if err != nil {
		return nil, err
	}
	entries := 0
	for k, b := range blocks {
		for p := k * rows; p < min((k+1)*rows, parts); p++ {
			q.ptr[p+1] += entries
		}
		entries += len(b.col)
	}
	q.col, q.val = pages.Make[int32](entries), pages.Make[float64](entries)
	err = blas.For(s.ctx, s.threads, len(blocks), 1, func(_, k, _ int) {
		from := q.ptr[k*rows]
		copy(q.col[from:], blocks[k].col)
		copy(q.val[from:], blocks[k].val)
	})
	return q, err
}

// Quotient returns the graph of the communities: the sums of the weights between them, and within them on the
// diagonal. O(nnz), and the sorting of its rows.
func Quotient(g *sparse.CSR, label []int32, count int) *sparse.CSR {
	n := g.Rows
	s := &search{ctx: context.Background(), threads: 1, sorted: true,
		space: space{order: make([]int32, n), first: make([]int, n+1)}}
	q, err := s.merge(&graph{ptr: g.Ptr, col: g.Col, val: g.Val, size: make([]float64, n)}, label, count)
	if err != nil {
		panic(err) // this context is never cancelled
	}
	return &sparse.CSR{Rows: count, Cols: count, Ptr: q.ptr, Col: q.col, Val: q.val}
}
