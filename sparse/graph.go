package sparse

import "context"

// graph is an undirected graph with weights, without loops: the neighbours of v
// are adj[ptr[v]:ptr[v+1]], with the weights of the edges at the same indices.
type graph struct {
	n       int
	ptr     []int32
	adj, ew []int32
	vw      []int32 // rows of the matrix that a vertex represents
	total   int32   // Σ vw
}

// neighbors returns the adjacency list of v.
func (g *graph) neighbors(v int32) []int32 { return g.adj[g.ptr[v]:g.ptr[v+1]] }

// compressed is the graph of a matrix where rows of one structure are one
// vertex. Dense rows, which would keep everything from being divided, are left
// out.
type compressed struct {
	graph
	vertex []int32 // of each row; none for a dense row
	first  []int32 // the first row of each vertex
}

// compress builds the graph of a symmetric pattern. Rows i and j of the same
// columns, with (i, i) and (j, j) taken as present, can be eliminated side by
// side in any order without more fill; they become one vertex (Ashcraft 1995).
// O(nnz), as long as few different rows have the same hash.
func compress(a *CSR) *compressed {
	n := a.Rows
	c := &compressed{vertex: make([]int32, n), first: make([]int32, 0, n)}
	t := &twins{CSR: a, key: make([]uint32, n), next: make([]int32, n), bucket: make([]int32, n), stamp: make([]int32, n)}
	for i := range t.bucket {
		t.bucket[i], t.stamp[i] = none, none
	}
	dense := denseRow(n)
	for i := range int32(n) {
		if degree := t.describe(i); degree > dense {
			c.vertex[i] = none
		} else if f := t.find(i, degree); f != none {
			c.vertex[i] = c.vertex[f]
		} else {
			c.vertex[i] = int32(len(c.first))
			c.first = append(c.first, i)
		}
	}
	c.link(a)
	return c
}

// twins finds rows of the same structure by a hash of their columns.
type twins struct {
	*CSR
	key    []uint32 // of each row so far
	bucket []int32  // last row of each hash value that had no twin before it
	next   []int32  // the one before with that value
	stamp  []int32  // the row that last held each column
}

// columns returns the columns of row i, as stored.
func (t *twins) columns(i int32) []int32 { return t.Col[t.Ptr[i]:t.Ptr[i+1]] }

// describe sets the key of row i and returns its entries off the diagonal.
func (t *twins) describe(i int32) (degree int) {
	scatter := func(j int32) uint32 {
		x := uint32(j) * 0x9E3779B1
		return x ^ x>>15
	}
	sum := scatter(i)
	for _, j := range t.columns(i) {
		if j != i {
			sum += scatter(j)
			degree++
		}
	}
	t.key[i] = sum
	return degree
}

// find returns an earlier row with the columns of row i, or else none, and
// files row i for those to come.
func (t *twins) find(i int32, degree int) int32 {
	h := t.key[i] % uint32(t.Rows)
	stamped := false
	for f := t.bucket[h]; f != none; f = t.next[f] {
		if t.key[f] != t.key[i] {
			continue
		}
		if !stamped {
			for _, j := range t.columns(i) {
				t.stamp[j] = i
			}
			t.stamp[i], stamped = i, true
		}
		if t.same(f, i, degree) {
			return f
		}
	}
	t.next[i], t.bucket[h] = t.bucket[h], i
	return none
}

// same reports whether row f has the columns of row i, which are stamped.
func (t *twins) same(f, i int32, degree int) bool {
	if t.stamp[f] != i {
		return false
	}
	for _, j := range t.columns(f) {
		if j == f {
			continue
		}
		if t.stamp[j] != i {
			return false
		}
		degree--
	}
	return degree == 0
}

// link makes the lists of neighbours, which the lists of the first rows hold.
func (c *compressed) link(a *CSR) {
	m, size := len(c.first), 0
	c.n, c.ptr, c.vw = m, make([]int32, m+1), make([]int32, m)
	for _, v := range c.vertex {
		if v != none {
			c.vw[v]++
			c.total++
		}
	}
	seen := make([]int32, m)
	for v, i := range c.first {
		size += a.Ptr[i+1] - a.Ptr[i]
		seen[v] = none
	}
	c.adj = make([]int32, 0, size)
	for v, i := range c.first {
		seen[v] = int32(v)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if u := c.vertex[j]; u != none && seen[u] != int32(v) {
				seen[u] = int32(v)
				c.adj = append(c.adj, u)
			}
		}
		c.ptr[v+1] = int32(len(c.adj))
	}
	c.ew = make([]int32, len(c.adj))
	for p := range c.ew {
		c.ew[p] = 1
	}
}

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

// height is the current position in the arenas.
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

// newGraph returns a graph of n vertices with room for this many entries in the
// lists. Until trim, nothing else may be taken.
func (w *workspace) newGraph(n, entries int) *graph {
	g := &w.graphs.take(1)[0]
	*g = graph{n: n, ptr: w.ints.take(n + 1), vw: w.ints.take(n)}
	both := w.ints.take(2 * entries)
	g.ptr[0], g.adj, g.ew = 0, both[:entries], both[entries:]
	return g
}

// trim gives back the room for entries of a graph beyond the first this many.
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

// arena hands out slices in the manner of a stack: all slices taken after a mark are given back at
// once. The slices are not cleared.
type arena[T any] struct {
	blocks [][]T
	at     arenaMark
}

// arenaMark is a height of the stack: a block and the elements used of it.
type arenaMark struct{ block, used int }

// arenaBlock is the least number of elements allocated at once.
const arenaBlock = 1 << 14

func (a *arena[T]) take(n int) []T {
	for ; a.at.block < len(a.blocks); a.at = (arenaMark{a.at.block + 1, 0}) {
		if block := a.blocks[a.at.block]; len(block)-a.at.used >= n {
			lo := a.at.used
			a.at.used += n
			return block[lo:a.at.used:a.at.used]
		}
		if a.at.used == 0 { // too small, and free: replace it
			a.blocks = a.blocks[:a.at.block]
			break
		}
	}
	a.blocks = append(a.blocks, make([]T, max(n, arenaBlock)))
	a.at = arenaMark{len(a.blocks) - 1, n}
	return a.blocks[a.at.block][:n:n]
}

// shorten gives back the end of the slice that was taken last.
func (a *arena[T]) shorten(s []T, n int) []T {
	a.at.used -= len(s) - n
	return s[:n:n]
}

func (a *arena[T]) mark() arenaMark { return a.at }

func (a *arena[T]) release(m arenaMark) { a.at = m }
