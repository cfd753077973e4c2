package sparse

import "github.com/orthant-go/orthant/blas/pages"

// bandSteps is how far from a separator rows are that its refinement may take in.
const bandSteps = 3

// covering is the scratch space in which separators are found.
type covering struct {
	edges  bipartite
	lefts  []int32
	rights []int32
	number []int32 // of a row among the current ones; none elsewhere

	refiner separator
	band    []int32 // the rows around a separator, nearest first
	graph   graph
	side    []int8
}

// separate puts the rows of the separator of cut k into within.
func (s *covering) separate(p *pieces, k int32) {
	if s.number == nil {
		s.number = pages.Make[int32](p.a.Rows)
		for i := range s.number {
			s.number[i] = none
		}
	}
	s.cover(p, k)
	s.refine(p, k)
}

// cover takes the smallest set of rows that touches every entry between the sides.
func (s *covering) cover(p *pieces, k int32) {
	c, a, b := p.cuts[k], p.a, &s.edges
	b.clear()
	s.lefts, s.rights = s.lefts[:0], s.rights[:0]
	for _, i := range p.byRow[p.start[c.lo]:p.start[c.mid]] {
		if p.within[i] != none {
			continue
		}
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if q := p.of[j]; q < c.mid || q >= c.hi || p.within[j] != none {
				continue
			}
			if s.number[j] == none {
				s.number[j] = int32(len(s.rights))
				s.rights = append(s.rights, j)
			}
			b.to = append(b.to, s.number[j])
		}
		if len(b.to) > int(b.ptr[len(b.ptr)-1]) {
			b.ptr = append(b.ptr, int32(len(b.to)))
			s.lefts = append(s.lefts, i)
		}
	}
	b.right = len(s.rights)
	left, right := b.cover()
	s.band = s.band[:0]
	for l, i := range s.lefts {
		if left[l] == none {
			p.within[i] = k
			s.band = append(s.band, i)
		}
	}
	for r, j := range s.rights {
		if right[r] {
			p.within[j] = k
			s.band = append(s.band, j)
		}
		s.number[j] = none
	}
}

// refine makes the separator of cut k lighter and its sides more even, as
// [separator.refine] does, within a band of rows around it (Chevalier and Pellegrini 2008).
// Rows that leave it for a side go to an adjacent piece.
func (s *covering) refine(p *pieces, k int32) {
	c := p.cuts[k]
	size := len(s.band)
	inner := s.gatherBand(p, k)
	r := &s.refiner
	r.fixed = int32(4*size + 1000)
	g := s.bandGraph(p, k, inner, r.fixed)
	r.reserve(g.n)
	r.load(g, s.side)
	count := func(lo, hi int32) (rows int32) {
		for _, i := range p.byRow[p.start[lo]:p.start[hi]] {
			if p.within[i] == none {
				rows++
			}
		}
		return rows
	}
	// Points beyond the band count for the balance.
	r.weight = [3]int32{left: count(c.lo, c.mid), right: count(c.mid, c.hi), middle: int32(size)}
	total := r.weight[left] + r.weight[right] + r.weight[middle]
	r.refine(int32(maxShare * float64(total)))
	for q, i := range s.band {
		s.number[i] = none
		if q >= inner {
			continue
		}
		x := s.side[q]
		if x == middle {
			p.within[i] = k
			continue
		}
		p.within[i] = none
		lo, hi := c.lo, c.mid
		if x == right {
			lo, hi = c.mid, c.hi
		}
		if p.of[i] < lo || p.of[i] >= hi { // it has changed sides
			p.of[i] = p.beside(i, lo, hi)
		}
	}
}

// beside is the piece that contains the first neighbour of row i in a piece from lo to hi.
func (p *pieces) beside(i, lo, hi int32) int32 {
	for _, j := range p.a.Col[p.a.Ptr[i]:p.a.Ptr[i+1]] {
		if q := p.of[j]; q >= lo && q < hi {
			return q
		}
	}
	return lo
}

// gatherBand adds to the separator of cut k the rows of its sides within bandSteps of it, and
// returns how many of all are nearer than that.
func (s *covering) gatherBand(p *pieces, k int32) (inner int) {
	c, a := p.cuts[k], p.a
	for q, i := range s.band {
		s.number[i] = int32(q)
	}
	from := 0
	for range bandSteps {
		inner = len(s.band)
		for _, i := range s.band[from:inner] {
			for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
				if q := p.of[j]; s.number[j] == none && p.within[j] == none && q >= c.lo && q < c.hi {
					s.number[j] = int32(len(s.band))
					s.band = append(s.band, j)
				}
			}
		}
		from = inner
	}
	return inner
}

// bandGraph is the graph of the band. The rows from inner on have neighbours beyond it, and
// the weight of those that stay where they are.
func (s *covering) bandGraph(p *pieces, k int32, inner int, fixed int32) *graph {
	g, c, a := &s.graph, p.cuts[k], p.a
	g.n = len(s.band)
	g.ptr, g.adj, g.vw = append(g.ptr[:0], 0), g.adj[:0], g.vw[:0]
	s.side = s.side[:0]
	for q, i := range s.band {
		weight, x := int32(1), left
		if q >= inner {
			weight = fixed
		}
		if p.within[i] == k {
			x = middle
		} else if p.of[i] >= c.mid {
			x = right
		}
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if r := s.number[j]; r != none && j != i {
				g.adj = append(g.adj, r)
			}
		}
		g.vw, g.ptr, s.side = append(g.vw, weight), append(g.ptr, int32(len(g.adj))), append(s.side, x)
	}
	return g
}

// bipartite is a graph with edges between left and right vertices alone. It is used again
// and again: [bipartite.clear] empties it.
type bipartite struct {
	ptr   []int32 // left vertex l has the edges to[ptr[l]:ptr[l+1]]
	to    []int32
	right int // right vertices

	mate, mateOf []int32 // the matching: of left vertices, of right ones
	depth        []int32 // of left vertices in the search
	queue        []int32
	next         []int32 // edge that the search of a left vertex goes on with
	reached      []bool  // right vertices
}

// clear takes all vertices away.
func (b *bipartite) clear() { b.ptr, b.to, b.right = append(b.ptr[:0], 0), b.to[:0], 0 }

// cover returns whether each left and right vertex is in a smallest set of vertices that
// touches every edge. Such a set has as many as a largest matching has edges (Kőnig 1931),
// which is found by shortest augmenting paths (Hopcroft and Karp 1973). O(edges·√vertices).
// The slices are valid until the next call.
func (b *bipartite) cover() (left []int32, right []bool) {
	count := len(b.ptr) - 1
	b.mate, b.mateOf = resize(&b.mate, count), resize(&b.mateOf, b.right)
	b.depth, b.next, b.queue = resize(&b.depth, count), resize(&b.next, count), b.queue[:0]
	for l := range b.mate {
		b.mate[l] = none
	}
	for r := range b.mateOf {
		b.mateOf[r] = none
	}
	for l := range int32(count) {
		for _, r := range b.to[b.ptr[l]:b.ptr[l+1]] {
			if b.mateOf[r] == none {
				b.mate[l], b.mateOf[r] = r, l
				break
			}
		}
	}
	for b.layer() {
		copy(b.next, b.ptr[:count])
		for l := range int32(count) {
			if b.mate[l] == none {
				b.augment(l)
			}
		}
	}
	// What alternating paths from free left vertices reach: the cover is the left vertices
	// that they do not reach and the right ones that they do.
	if cap(b.reached) < b.right {
		b.reached = make([]bool, b.right)
	}
	b.reached = b.reached[:b.right]
	clear(b.reached)
	for l, d := range b.depth {
		if d == none {
			continue
		}
		for _, r := range b.to[b.ptr[l]:b.ptr[l+1]] {
			b.reached[r] = true
		}
	}
	return b.depth, b.reached
}

// layer measures how far each left vertex is from a free one along alternating paths, none
// where no path leads there, and reports whether a path ends at a free right vertex.
func (b *bipartite) layer() (more bool) {
	b.queue = b.queue[:0]
	for l, r := range b.mate {
		b.depth[l] = none
		if r == none {
			b.depth[l] = 0
			b.queue = append(b.queue, int32(l))
		}
	}
	for at := 0; at < len(b.queue); at++ {
		l := b.queue[at]
		for _, r := range b.to[b.ptr[l]:b.ptr[l+1]] {
			m := b.mateOf[r]
			if m == none {
				more = true
			} else if b.depth[m] == none {
				b.depth[m] = b.depth[l] + 1
				b.queue = append(b.queue, m)
			}
		}
	}
	return more
}

// augment looks for a path from left vertex l to a free right vertex through the layers,
// and turns it over. It keeps its own stack: a path may be as long as the graph.
func (b *bipartite) augment(l int32) bool {
	stack := append(b.queue[:0], l)
	defer func() { b.queue = stack[:0] }()
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		if b.next[l] == b.ptr[l+1] {
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				b.next[stack[len(stack)-1]]++ // that edge led nowhere
			}
			continue
		}
		r := b.to[b.next[l]]
		m := b.mateOf[r]
		if m == none {
			for _, l := range stack {
				r := b.to[b.next[l]]
				b.mate[l], b.mateOf[r] = r, l
				b.next[l] = b.ptr[l+1] // used up in this phase
			}
			return true
		}
		if b.depth[m] == b.depth[l]+1 && b.next[m] < b.ptr[m+1] {
			stack = append(stack, m)
			continue
		}
		b.next[l]++
	}
	return false
}
