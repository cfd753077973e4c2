package sparse

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// minimumDegreeInPieces is an order of elimination by approximate minimum degree within the
// pieces of the given size that separators leave ([cutUp]), each separator after the parts that it
// separates. Pieces are ordered in parallel, with the rows of adjacent separators counting for the
// degrees (Liu 1989). It is nil where there is one piece alone: the pattern is small, or has no thin
// separators. The order does not depend on the number of threads.
func minimumDegreeInPieces(ctx context.Context, a *CSR, threads, size int) ([]int32, error) {
	threads = blas.Threads(threads)
	p := cutUp(ctx, a, threads, size)
	if p.count == 1 {
		return nil, ctx.Err()
	}
	orders := make([][]int32, p.count)
	scratch := make([]pieceOrder, threads)
	err := blas.For(ctx, threads, p.count, 1, func(w, k, _ int) {
		orders[k] = scratch[w].order(ctx, p, k)
	})
	if err != nil {
		return nil, err
	}
	separators := make([][]int32, len(p.cuts))
	for i, k := range p.within {
		if k != none {
			separators[k] = append(separators[k], int32(i))
		}
	}
	perm := make([]int32, 0, a.Rows)
	next := 0
	for k, c := range p.cuts {
		for ; next < int(c.hi); next++ {
			perm = append(perm, orders[next]...)
		}
		perm = append(perm, separators[k]...)
	}
	return perm, ctx.Err()
}

// pieceOrder is the scratch space in which one piece is ordered.
type pieceOrder struct {
	place []int32 // of a row in the current pattern
	rows  []int32 // of the current pattern
	local CSR     // the pattern
	next  []int   // the place of the next entry of each row of separators
	graph quotientGraph
}

// order orders the rows inside piece k. The context's error shows elsewhere.
func (s *pieceOrder) order(ctx context.Context, p *pieces, k int) []int32 {
	inside := s.pattern(p, k)
	order, err := s.graph.innerMinimumDegree(ctx, &s.local, inside)
	if err != nil {
		return nil
	}
	for at, q := range order {
		order[at] = s.rows[q]
	}
	return order
}

// pattern makes the pattern of the rows inside piece k, which come first, and of the rows of adjacent
// separators, and returns the number of the former. Entries between the latter are left out: whatever the order, they
// are there.
func (s *pieceOrder) pattern(p *pieces, k int) (inside int) {
	a := p.a
	if s.place == nil {
		s.place = pages.Make[int32](a.Rows)
		for i := range s.place {
			s.place[i] = none
		}
	}
	rows := s.rows[:0]
	for _, i := range p.byRow[p.start[k]:p.start[k+1]] {
		if p.within[i] == none {
			s.place[i] = int32(len(rows))
			rows = append(rows, i)
		}
	}
	inside = len(rows)
	ptr, col := append(s.local.Ptr[:0], 0), s.local.Col[:0]
	for q := range inside {
		for _, j := range a.columns(int(rows[q])) {
			if s.place[j] == none {
				s.place[j] = int32(len(rows))
				rows = append(rows, j)
			}
			col = append(col, s.place[j])
		}
		ptr = append(ptr, len(col))
	}
	// The rows of separators, from their entries in the rows inside.
	ptr = append(ptr, make([]int, len(rows)-inside)...)
	for _, r := range col {
		if int(r) >= inside {
			ptr[r+1]++
		}
	}
	for r := inside; r < len(rows); r++ {
		ptr[r+1] += ptr[r]
	}
	col = slices.Grow(col, ptr[len(rows)]-len(col))[:ptr[len(rows)]]
	s.next = append(s.next[:0], ptr[inside:len(rows)]...)
	for q := range inside {
		for _, r := range col[ptr[q]:ptr[q+1]] {
			if at := int(r) - inside; at >= 0 {
				col[s.next[at]] = int32(q)
				s.next[at]++
			}
		}
	}
	for _, i := range rows {
		s.place[i] = none
	}
	s.rows, s.local = rows, CSR{Rows: len(rows), Cols: len(rows), Ptr: ptr, Col: col}
	return inside
}

const (
	// piecesFrom is the number of rows from which a pattern is cut up, and piecesDensity the
	// entries that a row has at least on average; measured on graphs of neighbours and on
	// grids: on fewer or shorter rows minimum degree in one leaves no more to do.
	piecesFrom    = 1 << 16
	piecesDensity = 10
	// pieceRows is the size of pieces: twice as many rows are cut in two.
	pieceRows = 1 << 12
	// thinnest: a separator of clusters may hold one row in this many.
	thinnest = 8
)

// pieces are a symmetric pattern cut into pieces by separators: piece by piece, rows have
// entries in their own piece and in separators alone.
type pieces struct {
	a      *CSR
	cuts   []cut   // of the tree, children before their parents
	count  int     // pieces
	of     []int32 // the piece of each row
	within []int32 // the cut whose separator a row is in; none: it is inside its piece
	byRow  []int32 // the rows by piece, ascending within each
	start  []int   // piece p has byRow[start[p]:start[p+1]]
}

// cut is a place in the tree where the pieces from lo to mid are parted from those from
// mid to hi, this many cuts below the root.
type cut struct {
	lo, mid, hi int32
	depth       int
}

// cutUp cuts a pattern into pieces, or into one where there is no thin separator. Where to
// cut is decided on the graph of clusters, by the multilevel method of [NestedDissection];
// the separator between two sides is then the smallest set of rows that touches every entry
// between them. Twice size rows are cut in two. The pieces do not depend on the number of
// threads. O(nnz·log(pieces)).
func cutUp(ctx context.Context, a *CSR, threads, size int) *pieces {
	p := &pieces{a: a, count: 1}
	if a.Rows < 2*size || dissectible(a) != nil {
		return p
	}
	g, clusters := aggregate(a)
	t := &cutting{newDissection(ctx, g, threads), int32(size)}
	root := t.part(&workspace{ctx: ctx}, g, 0, 1)
	piece := pages.Make[int32](g.n)
	p.count = 0
	p.number(root, 0, t.order, piece)
	if p.count == 1 || ctx.Err() != nil {
		p.cuts, p.count = nil, 1
		return p
	}
	p.of = pages.Make[int32](a.Rows)
	for i, c := range clusters {
		p.of[i] = piece[c]
	}
	p.separate(threads)
	return p
}

// cutting is the recursion that parts the clusters.
type cutting struct {
	*dissection
	size int32 // of pieces, in rows
}

// stretch is a stretch of the clusters, and the parts into which it is divided.
type stretch struct {
	lo, hi int
	sides  [2]*stretch // nil: it is a piece
}

// part parts the clusters order[lo:lo+g.n], whose graph is g, as far as it pays.
func (t *cutting) part(w *workspace, g *graph, lo int, seed uint64) *stretch {
	s := &stretch{lo: lo, hi: lo + g.n}
	if g.total < 2*t.size || t.ctx.Err() != nil {
		return s
	}
	h := w.mark()
	defer w.release(h)
	side := w.sides.take(g.n)
	w.bisect(g, side, blas.NewStream(seed))
	var weight [3]int32
	for v, x := range side {
		weight[x] += g.vw[v]
	}
	if weight[left] == 0 || weight[right] == 0 || weight[middle] > g.total/thinnest {
		return s
	}
	lighter := left
	if weight[right] < weight[left] {
		lighter = right
	}
	for v, x := range side {
		if x == middle {
			side[v] = lighter
		}
	}
	place := w.ints.take(g.n)
	count := w.sort(t.order[lo:lo+g.n], side, place)
	t.descend(w, g, side, place, count, lo, func(w *workspace, g *graph, x int8, lo int) {
		s.sides[x] = t.part(w, g, lo, 2*seed+uint64(x))
	})
	return s
}

// number numbers the pieces from left to right and lists the cuts of a stretch, which is so
// many cuts below the root.
func (p *pieces) number(s *stretch, depth int, order, piece []int32) {
	if s.sides[left] == nil {
		for _, c := range order[s.lo:s.hi] {
			piece[c] = int32(p.count)
		}
		p.count++
		return
	}
	c := cut{lo: int32(p.count), depth: depth}
	p.number(s.sides[left], depth+1, order, piece)
	c.mid = int32(p.count)
	p.number(s.sides[right], depth+1, order, piece)
	c.hi = int32(p.count)
	p.cuts = append(p.cuts, c)
}

// separate finds the separators, starting with the cuts further up the tree: their rows are
// in no other.
func (p *pieces) separate(threads int) {
	n := p.a.Rows
	p.within = pages.Make[int32](n)
	for i := range p.within {
		p.within[i] = none
	}
	p.sort()
	// Cuts that are as far from the root touch different rows.
	scratch := make([]covering, blas.Threads(threads))
	for _, level := range p.levels() {
		_ = blas.For(context.Background(), threads, len(level), 1, func(w, k, _ int) {
			scratch[w].separate(p, level[k])
		})
		p.sort()
	}
}

// sort lists the rows by piece.
func (p *pieces) sort() {
	p.byRow = orderByKey(p.of, p.count)
	p.start = make([]int, p.count+1)
	for _, c := range p.of {
		p.start[c+1]++
	}
	for c := range p.count {
		p.start[c+1] += p.start[c]
	}
}

// levels lists the cuts by their distance from the root.
func (p *pieces) levels() [][]int32 {
	var all [][]int32
	for k, c := range p.cuts {
		for len(all) <= c.depth {
			all = append(all, nil)
		}
		all[c.depth] = append(all[c.depth], int32(k))
	}
	return all
}

// clusterRows is the number of rows that a cluster begins with, at most; rows that are left
// over may make it twice as many.
const clusterRows = 16

// aggregate puts the rows of a symmetric pattern together in clusters of neighbours, and
// returns the graph of the clusters and the cluster of each row. A vertex weighs as many
// rows as it has, an edge as many entries. Rows are taken in their order, each with its
// neighbours that are in no cluster yet; one that finds few of them joins the cluster in
// which it has most neighbours. O(nnz).
func aggregate(a *CSR) (*graph, []int32) {
	n := a.Rows
	of := make([]int32, n)
	for i := range of {
		of[i] = none
	}
	var size []int32
	votes := make([]int32, n)
	for i := range int32(n) {
		if of[i] != none {
			continue
		}
		cols := a.Col[a.Ptr[i]:a.Ptr[i+1]]
		free, best := 0, none
		for _, j := range cols {
			c := of[j]
			if c == none {
				free++
				continue
			}
			votes[c]++
			if size[c] < 2*clusterRows && (best == none || votes[c] > votes[best]) {
				best = c
			}
		}
		for _, j := range cols {
			if c := of[j]; c != none {
				votes[c] = 0
			}
		}
		if free <= clusterRows/4 && best != none {
			of[i] = best
			size[best]++
			continue
		}
		c, count := int32(len(size)), int32(1)
		of[i] = c
		for _, j := range cols {
			if of[j] == none && count < clusterRows {
				of[j] = c
				count++
			}
		}
		size = append(size, count)
	}
	return clustered(a, of, size), of
}

// clustered is the graph of clusters of the given sizes.
func clustered(a *CSR, of, size []int32) *graph {
	m := len(size)
	g := &graph{n: m, ptr: make([]int32, m+1), vw: size, total: int32(a.Rows)}
	rows := orderByKey(of, m)
	place := make([]int32, m) // of a neighbour in the current list
	for c := range place {
		place[c] = none
	}
	at := 0
	for c := range int32(m) {
		from := int32(len(g.adj))
		for range size[c] {
			i := rows[at]
			at++
			for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
				other := of[j]
				switch p := place[other]; {
				case other == c:
				case p >= from:
					g.ew[p]++
				default:
					place[other] = int32(len(g.adj))
					g.adj, g.ew = append(g.adj, other), append(g.ew, 1)
				}
			}
		}
		g.ptr[c+1] = int32(len(g.adj))
	}
	return g
}
