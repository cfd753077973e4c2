package sparse

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// piecesFrom is the number of rows from which a pattern is cut up, and piecesDensity the
	// entries that a row has at least on average; measured on graphs of neighbours and on
	// grids: on fewer or shorter rows minimum degree in one leaves no more to do.
	piecesFrom    = 1 << 16
	piecesDensity = 10
	// pieceRows is the size of pieces: twice as many rows are cut in two.
	pieceRows = 1 << 12
	// thinnest: a separator of clusters may hold one row in so many.
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
// mid to hi.
type cut struct{ lo, mid, hi int32 }

// cutUp cuts a pattern into pieces, or into one where there is no thin separator. Where to
// cut is decided on the graph of clusters, by the multilevel method of [NestedDissection];
// the separator between two sides is then the smallest set of rows that touches every entry
// between them. Twice size rows are cut in two. The pieces do not depend on the number of
// threads. O(nnz·log(pieces)).
func cutUp(ctx context.Context, a *CSR, threads, size int) *pieces {
	p := &pieces{a: a, count: 1}
	if a.Rows < 2*size || a.Rows > math.MaxInt32/8 {
		return p
	}
	g, clusters := aggregate(a)
	t := &cutting{size: int32(size), dissection: dissection{ctx: ctx, order: make([]int32, g.n), idle: make(chan *workspace, threads)}}
	for v := range t.order {
		t.order[v] = int32(v)
	}
	for range threads - 1 {
		t.idle <- &workspace{ctx: ctx}
	}
	root := t.part(&workspace{ctx: ctx}, g, 0, 1)
	piece := make([]int32, g.n)
	p.count = 0
	p.number(root, t.order, piece)
	if p.count == 1 || ctx.Err() != nil {
		p.cuts, p.count = nil, 1
		return p
	}
	p.of = make([]int32, a.Rows)
	for i, c := range clusters {
		p.of[i] = piece[c]
	}
	p.separate(threads)
	return p
}

// cutting is the recursion that parts the clusters.
type cutting struct {
	dissection
	size int32 // of pieces, in rows
}

// stretch is a stretch of the clusters, and what it is parted into.
type stretch struct {
	lo, hi      int
	left, right *stretch // nil: it is a piece
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
	descend := func(w *workspace, x int8, lo int) *stretch {
		h := w.mark()
		defer w.release(h)
		return t.part(w, w.extract(g, side, x, place, count[x]), lo, 2*seed+uint64(x))
	}
	if other := t.spare(g.n); other != nil {
		join := fork(func() {
			s.right = descend(other, right, lo+count[left])
			t.idle <- other
		})
		defer join()
		s.left = descend(w, left, lo)
		return s
	}
	s.left, s.right = descend(w, left, lo), descend(w, right, lo+count[left])
	return s
}

// number numbers the pieces from left to right and lists the cuts.
func (p *pieces) number(s *stretch, order, piece []int32) {
	if s.left == nil {
		for _, c := range order[s.lo:s.hi] {
			piece[c] = int32(p.count)
		}
		p.count++
		return
	}
	c := cut{lo: int32(p.count)}
	p.number(s.left, order, piece)
	c.mid = int32(p.count)
	p.number(s.right, order, piece)
	c.hi = int32(p.count)
	p.cuts = append(p.cuts, c)
}

// separate finds the separators, those of cuts further up the tree first: their rows are
// in no other.
func (p *pieces) separate(threads int) {
	n := p.a.Rows
	p.within = make([]int32, n)
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
	depth := make([]int, len(p.cuts))
	for k := len(p.cuts) - 1; k >= 0; k-- {
		for up := k + 1; up < len(p.cuts); up++ { // the nearest that holds it is its parent
			if p.cuts[up].lo <= p.cuts[k].lo && p.cuts[k].hi <= p.cuts[up].hi {
				depth[k] = depth[up] + 1
				break
			}
		}
		for len(all) <= depth[k] {
			all = append(all, nil)
		}
		all[depth[k]] = append(all[depth[k]], int32(k))
	}
	return all
}
