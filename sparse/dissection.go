package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	leafVertices = 200  // a part of so few is not divided further
	forkVertices = 2000 // a part of this many is worth a goroutine
)

// NestedDissection returns an elimination order of a symmetric matrix that
// keeps the Cholesky factor sparse: perm[k] is the original index of the k-th
// pivot. Only the pattern is read, both triangles of it; the diagonal may be
// present or absent. threads is the number of goroutines, 0 for all cores; the
// order is the same for any number of them. An error says that the pattern is
// not square and symmetric, or has 2³¹ entries or more, or is the context's when
// that is cancelled.
//
// A light vertex separator divides the graph into two parts of like size, which
// are divided likewise, and is eliminated after them (George 1973; Lipton, Rose
// and Tarjan 1979). Separators come from the multilevel method of Hendrickson
// and Rothberg (1998) and Karypis and Kumar (1998). Within the leaves of the
// recursion and within each separator the order is by approximate minimum
// degree in the whole graph, where rows yet to come count for the degrees
// (constrained minimum degree, as in Liu 1989).
//
// Time is O(nnz log n), five to seven times the time of [MinimumDegree] on the
// graphs of neighbourhoods; memory about 10·nnz 32-bit numbers.
func NestedDissection(ctx context.Context, a *CSR, threads int) ([]int32, error) {
	if err := checkSymmetric(a); err != nil {
		return nil, fmt.Errorf("sparse: nested dissection: %w", err)
	}
	if err := dissectible(a); err != nil {
		return nil, err
	}
	return nestedDissection(ctx, a, threads)
}

// dissectible returns an error for patterns with too many entries.
func dissectible(a *CSR) error {
	if len(a.Col) > math.MaxInt32 {
		return fmt.Errorf("sparse: nested dissection: %d entries are more than its 32-bit indices hold; take minimum degree", len(a.Col))
	}
	return nil
}

// nestedDissection is NestedDissection for a pattern already checked.
func nestedDissection(ctx context.Context, a *CSR, threads int) ([]int32, error) {
	c := compress(a)
	d := dissect(ctx, &c.graph, blas.Threads(threads))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	of, stage := make([]int32, c.n), none
	for k, v := range d.order {
		if d.starts[k] {
			stage++
		}
		of[v] = stage
	}
	stages := make([]int32, a.Rows)
	for i, v := range c.vertex {
		if v != none {
			stages[i] = of[v]
		}
	}
	return stagedMinimumDegree(ctx, a, stages)
}

// dissection is the recursion: a part, and later each of its sides and its
// separator, is a stretch of order, so that goroutines write to places of their
// own.
type dissection struct {
	ctx    context.Context
	order  []int32
	starts []bool // whether a leaf or a separator starts here
	idle   chan *workspace
}

// dissect divides the whole of g. If the context is cancelled it stops early.
func dissect(ctx context.Context, g *graph, threads int) *dissection {
	d := newDissection(ctx, g, threads)
	d.starts = make([]bool, g.n+1)
	d.split(&workspace{ctx: ctx}, g, 0, 1)
	return d
}

// newDissection is the recursion over the whole of g, with workspaces for all threads but the
// caller's.
func newDissection(ctx context.Context, g *graph, threads int) *dissection {
	d := &dissection{ctx: ctx, order: make([]int32, g.n), idle: make(chan *workspace, threads)}
	for v := range d.order {
		d.order[v] = int32(v)
	}
	for range threads - 1 {
		d.idle <- &workspace{ctx: ctx}
	}
	return d
}

// split divides the part order[lo:lo+g.n], whose graph is g, until only leaves
// are left. seed is the place of the part in the tree of all: random numbers do
// not depend on who divides it.
func (d *dissection) split(w *workspace, g *graph, lo int, seed uint64) {
	d.starts[lo] = true
	if g.n <= leafVertices || d.ctx.Err() != nil {
		return
	}
	h := w.mark()
	defer w.release(h)
	side := w.sides.take(g.n)
	w.bisect(g, side, blas.NewStream(seed))
	place := w.ints.take(g.n)
	count := w.sort(d.order[lo:lo+g.n], side, place)
	if count[left] == 0 || count[right] == 0 {
		return
	}
	if count[middle] > 0 {
		d.starts[lo+count[left]+count[right]] = true
	}
	d.descend(w, g, side, place, count, lo, func(w *workspace, g *graph, x int8, lo int) {
		d.split(w, g, lo, 2*seed+uint64(x))
	})
}

// descend calls into for the graph of either side of g, whose part begins at lo: for both at
// a time where there is a worker for it. place and count are as in [workspace.sort].
func (d *dissection) descend(w *workspace, g *graph, side []int8, place []int32, count [3]int, lo int, into func(w *workspace, g *graph, x int8, lo int)) {
	one := func(w *workspace, x int8, lo int) {
		h := w.mark()
		defer w.release(h)
		into(w, w.extract(g, side, x, place, count[x]), x, lo)
	}
	if other := d.spare(g.n); other != nil {
		join := fork(func() {
			one(other, right, lo+count[left])
			d.idle <- other
		})
		defer join()
		one(w, left, lo)
		return
	}
	one(w, left, lo)
	one(w, right, lo+count[left])
}

// spare returns an idle workspace, if there is one and the part is worth it.
func (d *dissection) spare(n int) *workspace {
	if n < forkVertices {
		return nil
	}
	select {
	case w := <-d.idle:
		return w
	default:
		return nil
	}
}

// sort sorts the vertices of a part by side, keeping the order within a side, and sets the place of each within its side. It returns the number of
// vertices on each side.
func (w *workspace) sort(part []int32, side []int8, place []int32) (count [3]int) {
	old := resize(&w.mate, len(part))
	copy(old, part)
	for v, x := range side {
		place[v] = int32(count[x])
		count[x]++
	}
	first := [3]int{0, count[left], count[left] + count[right]}
	for v, x := range side {
		part[first[x]+int(place[v])] = old[v]
	}
	return count
}

// The effort that goes into one separator. On the patterns of neighbourhoods in
// 2 to 12 dimensions fill hardly depends on these (some per cent either way, by
// luck); they are on the cheap side of where that begins.
const (
	coarsestVertices = 80 // a graph of so few is not coarsened further
	coarsestTries    = 4  // divisions of it, of which the best is taken
	cycles           = 3  // of coarsening and refinement, of which the best is taken,
	cyclesShare      = 8  // from a graph that has this many times fewer vertices than the first
	maxPasses        = 5  // of refinement on each level
)

// maxShare bounds either side, as a share of the whole. It is loose because the
// cost of a separator already rises with the imbalance; two thirds let a graph of
// three equal clusters fall into them.
const maxShare = 2.0 / 3

// bisect divides g into two sides without an edge between them, and a light
// separator. A side may be empty where there is nothing to gain, as in a
// clique. O(entries), about.
func (w *workspace) bisect(g *graph, side []int8, random *blas.Stream) {
	w.reserve(g.n)
	b := &bisection{w, int32(maxShare * float64(g.total)), random}
	b.descend(g, side, g.n/cyclesShare)
}

// bisection is one use of the workspace; graphs of all levels weigh the same.
type bisection struct {
	*workspace
	heaviest int32 // weight that a side may have
	random   *blas.Stream
}

// descend divides g by the multilevel method: coarsen, divide the coarse graph,
// carry the division over and refine it (Hendrickson and Rothberg 1998; Karypis
// and Kumar 1998). The first graph of at most several vertices on the way is
// divided several times.
func (b *bisection) descend(g *graph, side []int8, several int) {
	switch {
	case b.ctx.Err() != nil:
		setAll(side, right)
	case g.n <= coarsestVertices:
		b.divide(g, side)
	case g.n <= several:
		b.best(cycles, side, func(trial []int8) { b.cycle(g, trial, 0) })
	default:
		b.cycle(g, side, several)
	}
}

// best tries to divide a graph several times and keeps the division of least
// cost.
func (b *bisection) best(times int, side []int8, try func(trial []int8)) {
	h := b.mark()
	defer b.release(h)
	trial := b.sides.take(len(side))
	var least float64
	for t := range times {
		try(trial)
		if cost := b.cost(); t == 0 || cost < least {
			least = cost
			copy(side, trial)
		}
	}
}

// cycle is one way down and up.
func (b *bisection) cycle(g *graph, side []int8, several int) {
	h := b.mark()
	defer b.release(h)
	// Vertices much heavier than the mean would leave little choice of balance.
	coarse, into := b.coarsen(g, 1+g.total/(2*coarsestVertices/3), b.random)
	if coarse.n > g.n-g.n/20 {
		b.divide(g, side)
		return
	}
	below := b.sides.take(coarse.n)
	b.descend(coarse, below, several)
	for v, c := range into {
		side[v] = below[c]
	}
	b.load(g, side)
	b.refine(b.heaviest)
}

// divide divides a small graph, each time from another vertex.
func (b *bisection) divide(g *graph, side []int8) {
	b.best(coarsestTries, side, func(trial []int8) {
		setAll(trial, right)
		b.load(g, trial)
		b.grow(b.heaviest, b.random)
		b.refine(b.heaviest)
	})
}

func setAll(side []int8, x int8) {
	for v := range side {
		side[v] = x
	}
}

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
	slot := w.slots(m) // the place in the present list of each vertex; places in earlier lists lie below
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
