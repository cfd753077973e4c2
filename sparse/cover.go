package sparse

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
// where no path leads there, and tells whether a path ends at a free right vertex.
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
