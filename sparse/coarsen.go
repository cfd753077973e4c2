package sparse

import "github.com/orthant-go/orthant/blas"

// coarsen contracts a matching of g. It returns the smaller graph, and the
// vertex of it that each vertex of g goes into; both live in the arena.
func (w *workspace) coarsen(g *graph, heaviest int32, random *blas.Stream) (coarse *graph, into []int32) {
	into = w.ints.take(g.n)
	mate := w.match(g, heaviest, random)
	m := int32(0)
	for v, u := range mate {
		if u >= int32(v) {
			into[v] = m
			m++
		} else {
			into[v] = into[u]
		}
	}
	return w.contract(g, into, mate, int(m)), into
}

// match returns the partner of every vertex, itself where it has none.
//
// Vertices are taken by rising degree, at random among equals, and get the free
// neighbour with the heaviest edge (Karypis and Kumar 1998), as long as the two
// together are no heavier than heaviest. Of those left over, two whose heaviest
// edges lead to the same vertex, or which have no neighbours, are put together:
// otherwise stars would hardly shrink.
func (w *workspace) match(g *graph, heaviest int32, random *blas.Stream) []int32 {
	h := w.ints.mark()
	defer w.ints.release(h)
	visit := w.visitingOrder(g, random)
	mate := resize(&w.mate, g.n)
	for v := range mate {
		mate[v] = none
	}
	for _, v := range visit {
		if mate[v] == none {
			u := g.heaviestEdge(v, mate, heaviest-g.vw[v])
			if u == none {
				u = v
			}
			mate[v], mate[u] = u, v
		}
	}
	waiting := w.slots(g.n + 1) // a vertex whose heaviest edge leads here; at n without edges
	for _, v := range visit {
		if mate[v] != v {
			continue
		}
		hub := g.heaviestEdge(v, nil, g.total)
		if hub == none {
			hub = int32(g.n)
		}
		if u := waiting[hub]; u != none && g.vw[u]+g.vw[v] <= heaviest {
			mate[u], mate[v], waiting[hub] = v, u, none
		} else {
			waiting[hub] = v
		}
	}
	return mate
}

// heaviestEdge returns the neighbour at the heaviest edge of v, the first of
// equals, among those no heavier than room that have no mate yet (any, where
// mate is nil); none where there is none.
func (g *graph) heaviestEdge(v int32, mate []int32, room int32) int32 {
	lo, hi := g.ptr[v], g.ptr[v+1]
	best, heavy := none, int32(0)
	weights := g.ew[lo:hi]
	for p, u := range g.adj[lo:hi] {
		if weights[p] > heavy && g.vw[u] <= room && (mate == nil || mate[u] == none) {
			best, heavy = u, weights[p]
		}
	}
	return best
}

// visitingOrder returns the vertices by degree class, in random order within.
func (w *workspace) visitingOrder(g *graph, random *blas.Stream) []int32 {
	sorted, shuffled := w.ints.take(g.n), w.ints.take(g.n)
	for v := range shuffled {
		shuffled[v] = int32(v)
	}
	for k := g.n - 1; k > 0; k-- {
		j := random.Uint64() >> 32 * uint64(k+1) >> 32
		shuffled[k], shuffled[j] = shuffled[j], shuffled[k]
	}
	const classes = 256
	top := 1 + 2*len(g.adj)/max(g.n, 1) // twice the mean; higher degrees are one class
	class := func(v int32) int { return min(int(g.ptr[v+1]-g.ptr[v]), top) * (classes - 1) / top }
	var at [classes + 1]int32
	for v := range int32(g.n) {
		at[class(v)+1]++
	}
	for c := range classes {
		at[c+1] += at[c]
	}
	for _, v := range shuffled {
		c := class(v)
		sorted[at[c]] = v
		at[c]++
	}
	return sorted
}

// contract makes one vertex of every pair, m in all: weights are added up, and
// edges between the same two vertices become one.
func (w *workspace) contract(g *graph, into, mate []int32, m int) *graph {
	c := w.newGraph(m, len(g.adj))
	slot := w.slots(m) // the place in the present list of each vertex; those of earlier lists lie below
	end := int32(0)
	for v := range int32(g.n) {
		u := mate[v]
		if u < v {
			continue
		}
		me, from := into[v], end
		c.vw[me] = 0
		for x := v; ; x = u {
			c.vw[me] += g.vw[x]
			lo, hi := g.ptr[x], g.ptr[x+1]
			weights := g.ew[lo:hi]
			for p, y := range g.adj[lo:hi] {
				k := into[y]
				if at := slot[k]; at >= from {
					c.ew[at] += weights[p]
				} else if k != me {
					slot[k] = end
					c.adj[end], c.ew[end] = k, weights[p]
					end++
				}
			}
			if x == u {
				break
			}
		}
		c.ptr[me+1] = end
	}
	c.total = g.total
	w.trim(c, int(end))
	return c
}
