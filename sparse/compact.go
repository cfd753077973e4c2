package sparse

// reserve makes room for a list of the given length at the end. The lists of a
// quotient graph never need more than the original pattern together, so once
// the gaps are closed there is room for any one more.
func (g *quotientGraph) reserve(size int) {
	if g.free+size <= len(g.lists) {
		return
	}
	// The first place of every list in use names its owner, whose start keeps
	// what stood there; one pass then moves the lists down in their order.
	owned := func(i int) bool {
		gone := g.weight[i] == 0 || (g.elements[i] == isElement && g.mark[i] == 0)
		return !gone && g.size[i] > 0
	}
	for i := range g.n {
		if owned(i) {
			first := g.lists[g.start[i]]
			g.lists[g.start[i]] = ^int32(i)
			g.start[i] = int(first)
		}
	}
	dst := 0
	for src := 0; src < g.free; {
		x := g.lists[src]
		if x >= 0 {
			src++ // a gap
			continue
		}
		i := ^x
		n := int(g.size[i])
		g.lists[dst] = int32(g.start[i])
		copy(g.lists[dst+1:dst+n], g.lists[src+1:src+n])
		g.start[i] = dst
		dst += n
		src += n
	}
	g.free = dst
}
