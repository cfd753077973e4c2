package sparse

import "context"

// workspace is the memory of one worker: arenas for what lives as long as a
// level of the recursion, and arrays for what lives within one step of it.
type workspace struct {
	separator
	ctx        context.Context
	ints       arena[int32]
	sides      arena[int8]
	graphs     arena[graph]
	slot, mate []int32
}

// height is where the arenas stand.
type height struct{ ints, sides, graphs arenaMark }

func (w *workspace) mark() height {
	return height{w.ints.mark(), w.sides.mark(), w.graphs.mark()}
}

// release gives back everything taken since the mark.
func (w *workspace) release(h height) {
	w.ints.release(h.ints)
	w.sides.release(h.sides)
	w.graphs.release(h.graphs)
}

// newGraph returns a graph of n vertices with room for so many entries in the
// lists. Until trim, nothing else may be taken.
func (w *workspace) newGraph(n, entries int) *graph {
	g := &w.graphs.take(1)[0]
	*g = graph{n: n, ptr: w.ints.take(n + 1), vw: w.ints.take(n)}
	both := w.ints.take(2 * entries)
	g.ptr[0], g.adj, g.ew = 0, both[:entries], both[entries:]
	return g
}

// trim gives back the room for entries of a graph beyond the first so many.
func (w *workspace) trim(g *graph, entries int) {
	both := g.adj[:cap(g.adj)]
	copy(both[entries:], g.ew[:entries])
	both = w.ints.shorten(both, 2*entries)
	g.adj, g.ew = both[:entries:entries], both[entries:]
}

// slots returns n places that hold none.
func (w *workspace) slots(n int) []int32 {
	slot := resize(&w.slot, n)
	for k := range slot {
		slot[k] = none
	}
	return slot
}

// resize returns a buffer of length n with any content, larger than before
// where need be.
func resize(buffer *[]int32, n int) []int32 {
	if cap(*buffer) < n {
		*buffer = make([]int32, n)
	}
	return (*buffer)[:n]
}

// extract returns the graph of the vertices of g on one side, n of them; place
// has the new index of each.
func (w *workspace) extract(g *graph, side []int8, x int8, place []int32, n int) *graph {
	size := int32(0)
	for v, y := range side {
		if y == x {
			size += g.ptr[v+1] - g.ptr[v]
		}
	}
	s := w.newGraph(n, int(size))
	end := int32(0)
	for v, y := range side {
		if y != x {
			continue
		}
		lo, hi := g.ptr[v], g.ptr[v+1]
		weights := g.ew[lo:hi]
		for p, u := range g.adj[lo:hi] {
			if side[u] == x {
				s.adj[end], s.ew[end] = place[u], weights[p]
				end++
			}
		}
		s.vw[place[v]], s.ptr[place[v]+1] = g.vw[v], end
		s.total += g.vw[v]
	}
	w.trim(s, int(end))
	return s
}
