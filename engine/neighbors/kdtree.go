package neighbors

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// leafSize is the maximal number of points in a leaf: scanning them costs about as much as
// descending one level further.
const leafSize = 12

// kdTree is a k-d tree (Friedman, Bentley and Finkel 1977) in flat arrays. The
// points are copied in the order of the leaves, so a leaf is contiguous in
// memory. Nodes are numbered in preorder.
type kdTree struct {
	m      int
	points []float64 // in tree order
	order  []int32   // order[p]: the sample at position p
	nodes  []node
}

// node splits the positions lo ≤ p < hi: those below mid have x[dim] ≤ split,
// the others x[dim] ≥ split. The left child is the next node. A leaf has dim < 0.
type node struct {
	split       float64
	lo, hi, mid int32
	right       int32
	dim         int32
}

func newKDTree(x Points, threads int) *kdTree {
	t := &kdTree{m: x.M, order: pages.Make[int32](x.N)}
	for i := range t.order {
		t.order[i] = int32(i)
	}
	b := newKDBuilder(x, t.order)
	b.build(0, x.N, blas.Threads(threads))
	t.nodes, t.points = b.nodes, pages.Make[float64](x.N*x.M)
	_ = blas.For(context.Background(), threads, x.N, 4096, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			copy(t.points[p*x.M:(p+1)*x.M], x.Row(int(t.order[p])))
		}
	}) // the context is never cancelled
	return t
}

// kdBuilder builds the nodes of a tree or of a part of it.
type kdBuilder struct {
	x         Points
	order     []int32
	nodes     []node
	low, high []float64 // scratch: the range of each column
}

func newKDBuilder(x Points, order []int32) *kdBuilder {
	return &kdBuilder{x: x, order: order, low: make([]float64, x.M), high: make([]float64, x.M)}
}

// sharedPoints is the number of points from which the two sides of a node are built on separate
// threads.
const sharedPoints = 1 << 14

// build appends the nodes of the positions lo ≤ p < hi, which are split at the median of the
// widest column. They do not depend on the number of threads.
func (b *kdBuilder) build(lo, hi, threads int) {
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{lo: int32(lo), hi: int32(hi), dim: -1})
	if hi-lo <= leafSize {
		return
	}
	dim := b.widest(b.order[lo:hi])
	if dim < 0 {
		return // all equal: one large leaf
	}
	mid := (lo + hi) / 2
	selectNth(b.x, b.order[lo:hi], mid-lo, dim)
	b.nodes[at].dim, b.nodes[at].mid = int32(dim), int32(mid)
	b.nodes[at].split = b.x.Data[int(b.order[mid])*b.x.M+dim]
	if threads == 1 || hi-lo < sharedPoints {
		b.build(lo, mid, 1)
		b.nodes[at].right = int32(len(b.nodes))
		b.build(mid, hi, 1)
		return
	}
	left, right := newKDBuilder(b.x, b.order), newKDBuilder(b.x, b.order)
	var wait sync.WaitGroup
	wait.Go(func() { left.build(lo, mid, threads-threads/2) })
	right.build(mid, hi, threads/2)
	wait.Wait()
	b.take(left.nodes)
	b.nodes[at].right = int32(len(b.nodes))
	b.take(right.nodes)
}

// widest returns the column of the widest range; −1 if all points are equal.
func (b *kdBuilder) widest(points []int32) int {
	low, high := b.low, b.high
	copy(low, b.x.Row(int(points[0])))
	copy(high, low)
	for _, i := range points[1:] {
		for j, v := range b.x.Row(int(i)) {
			if v < low[j] {
				low[j] = v
			} else if v > high[j] {
				high[j] = v
			}
		}
	}
	dim, width := -1, 0.0
	for j := range low {
		if w := high[j] - low[j]; w > width {
			dim, width = j, w
		}
	}
	return dim
}

// take appends the nodes of a part, which are numbered from 0.
func (b *kdBuilder) take(part []node) {
	first := int32(len(b.nodes))
	for _, n := range part {
		if n.dim >= 0 {
			n.right += first
		}
		b.nodes = append(b.nodes, n)
	}
}

// selectNth partitions order so that entry nth is where sorting by column dim
// would put it, by Hoare's selection with the median of three.
func selectNth(x Points, order []int32, nth, dim int) {
	key := func(p int) float64 { return x.Data[int(order[p])*x.M+dim] }
	lo, hi := 0, len(order)-1
	for lo < hi {
		a, b, c := key(lo), key((lo+hi)/2), key(hi)
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for key(i) < pivot {
				i++
			}
			for key(j) > pivot {
				j--
			}
			if i <= j {
				order[i], order[j] = order[j], order[i]
				i++
				j--
			}
		}
		if nth <= j {
			hi = j
		} else if nth >= i {
			lo = i
		} else {
			return
		}
	}
}

// searchTree searches the neighbours of every point, leaf after leaf,
// so successive queries visit the same nodes.
func searchTree(ctx context.Context, x *Stored, k int, o Options, g *Graph) error {
	t := newKDTree(x.Points(), o.Threads)
	var done atomic.Int64
	return blas.For(ctx, o.Threads, x.n, 512, func(_, lo, hi int) {
		q, squares := query{tree: t, side: make([]float64, x.m)}, make([]float64, k)
		for p := lo; p < hi; p++ {
			i := t.order[p]
			q.point, q.self = t.points[p*t.m:(p+1)*t.m], int32(p)
			q.found = g.listIn(squares, int(i))
			q.visit(0, 0)
			q.found.finish()
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(x.n))
	})
}

// query is the state of one search. side[j] is the distance of the point to the
// current cell along column j, 0 inside.
type query struct {
	tree  *kdTree
	point []float64
	self  int32
	side  []float64
	found nearest
}

// slack prevents rounding in the distance to a cell from excluding a point at the same distance as
// the worst neighbour held.
const slack = 1 - 1e-12

func (q *query) visit(at int32, cell float64) {
	n := &q.tree.nodes[at]
	if n.dim < 0 {
		q.scan(n.lo, n.hi)
		return
	}
	near, far := at+1, n.right
	away := n.split - q.point[n.dim]
	if away <= 0 {
		near, far = far, near
		away = -away
	}
	q.visit(near, cell)
	// Adding the new offset and subtracting the old one is exact enough: offsets
	// only grow on the way down, so rounding stays within the slack.
	before := q.side[n.dim]
	beyond := max(cell-before*before+away*away, away*away)
	if q.found.full() && beyond*slack > q.found.bound() {
		return
	}
	q.side[n.dim] = away
	q.visit(far, beyond)
	q.side[n.dim] = before
}

func (q *query) scan(lo, hi int32) {
	m := q.tree.m
	bound, full := 0.0, q.found.full()
	if full {
		bound = q.found.bound()
	}
	for p := lo; p < hi; p++ {
		if p == q.self {
			continue
		}
		y := q.tree.points[int(p)*m : int(p)*m+m]
		var square float64
		if m == 3 { // the same sum as SquaredDistance, without the call
			d0, d1, d2 := q.point[0]-y[0], q.point[1]-y[1], q.point[2]-y[2]
			square = float64(d0*d0) + float64(d1*d1) + float64(d2*d2)
		} else {
			square = blas.SquaredDistance(q.point, y)
		}
		if full && square > bound {
			continue
		}
		q.found.offer(square, q.tree.order[p])
		if full = q.found.full(); full {
			bound = q.found.bound()
		}
	}
}
