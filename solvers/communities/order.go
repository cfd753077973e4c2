package communities

import (
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// reordered is the number of vertices from which a run sorts them by the communities of its first iteration. Further iterations then find what they look at within the cache.
const reordered = 1 << 14

// reorder sorts the vertices by their labels, and returns the former numbers of the vertices and the graph in that order.
func (s *search) reorder(g *graph, label []int32) (names []int32, sorted *graph, err error) {
	n := g.len()
	order, _ := s.space.membersOf(label, int(slices.Max(label))+1)
	names = slices.Clone(order)
	place := s.space.queue[:n]
	sorted = &graph{ptr: pages.Make[int](n + 1), col: pages.Make[int32](len(g.col)), val: pages.Make[float64](len(g.val)), size: pages.Make[float64](n)}
	for i, v := range names {
		place[v] = int32(i)
		sorted.ptr[i+1] = sorted.ptr[i] + g.ptr[v+1] - g.ptr[v]
		sorted.size[i] = g.size[v]
	}
	err = blas.For(s.ctx, s.threads, n, polled, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := g.row(names[i])
			at := sorted.ptr[i]
			for q, j := range cols {
				sorted.col[at+q] = place[j]
			}
			copy(sorted.val[at:], vals)
		}
	})
	return names, sorted, err
}
