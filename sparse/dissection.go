package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	leafVertices = 200  // a part of so few is not divided further
	forkVertices = 2000 // a part of so many is worth a goroutine
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
// recursion and within each separator the order is that of approximate minimum
// degree in the whole graph, where rows yet to come count for the degrees
// (constrained minimum degree, as in Liu 1989).
//
// Time is O(nnz log n), five to seven times that of [MinimumDegree] on the
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
// a time where there is a worker for it. place and count are those of [workspace.sort].
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

// sort sorts the vertices of a part by side, those of one side in the order
// they had, and sets the place of each within its side. It returns the number of
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
