package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
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
// mid to hi, so many cuts below the root.
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

// stretch is a stretch of the clusters, and what it is parted into.
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

// separate finds the separators, those of cuts further up the tree first: their rows are
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
