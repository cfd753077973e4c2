package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Paths finds the lengths of shortest paths in one undirected graph, for any
// number of searches. It renumbers the vertices once; whatever it takes and
// returns counts them in that order, so that the caller may keep what he collects
// in it and go back at the end.
//
// There are two ways, with the same results up to rounding. Where elimination
// in the new order leaves few arcs, as on graphs of low-dimensional data, the
// graph is brought to triangular form once and [blas.PathLanes] searches at a
// time are substituted through it, as through the Cholesky factor of a matrix
// (Carré 1971; Sao, Kannan, Gera and Vuduc 2020). Elsewhere the same number of searches relax their
// lengths together, in the order of one of Dijkstra's searches.
type Paths struct {
	reordering
	triangle *pathTriangle
	graph    *CSR // renumbered; nil where there is a triangle
}

const (
	// The time of an arc of a triangle per search, and the times of an arc and a vertex of the graph
	// in Dijkstra's algorithm, in nanoseconds (measured at 5000 vertices with AVX2), and of an update
	// of the elimination.
	arcCost, edgeCost, vertexCost, eliminateCost = 0.2, 1.6, 100, 1.0
)

// NewPaths prepares the graph of a, whose entries are the lengths of its edges:
// a must be symmetric, both triangles stored, with no entry negative, NaN or
// infinite; the diagonal is of no consequence. searches is the number that is
// going to be asked for, by which the way is chosen. The error is about that or
// the context's.
func NewPaths(ctx context.Context, a *CSR, searches int) (*Paths, error) {
	return NewPathsWithin(ctx, a, searches, nil)
}

// NewPathsWithin is [NewPaths] that asks before it takes the bytes of the prepared graph whether
// there is room for them, and returns the error of fit; nil: there is.
func NewPathsWithin(ctx context.Context, a *CSR, searches int, fit func(bytes int64) error) (*Paths, error) {
	if err := checkSymmetric(a); err != nil {
		return nil, fmt.Errorf("sparse: shortest paths: %w", err)
	}
	for i := range a.Rows {
		cols, lengths := a.Row(i)
		for p, v := range lengths {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("sparse: shortest paths: the edge from %d to %d has length %v; lengths are finite and not negative", i, cols[p], v)
			}
		}
	}
	perm, err := minimumDegree(ctx, a)
	if err != nil {
		return nil, err
	}
	e := eliminate(a, perm, ByMinimumDegree)
	p := &Paths{reordering: e.reordering}
	each := float64(searches)
	eliminated := e.flops*eliminateCost/2+each*float64(e.entries)*arcCost < each*(float64(len(a.Col))*edgeCost+float64(a.Rows)*vertexCost)
	bytes := 12 * int64(len(a.Col))
	if eliminated {
		bytes = 12 * e.entries
	}
	if fit != nil {
		if err := fit(bytes); err != nil {
			return nil, err
		}
	}
	if eliminated {
		p.triangle, err = eliminatePaths(ctx, a, e)
	} else {
		// Searches side by side set out from vertices next to each other in the order.
		p.reordering = newReordering(a.breadthFirst())
		p.graph = a.permuted(p.reordering)
	}
	return p, err
}

// breadthFirst returns the rows in the order in which they are met from row 0 on, then
// from the first that was not met, by way of the entries.
func (a *CSR) breadthFirst() []int32 {
	order, met := make([]int32, 0, a.Rows), make([]bool, a.Rows)
	for first, next := 0, 0; first < a.Rows; first++ {
		if met[first] {
			continue
		}
		met[first] = true
		for order = append(order, int32(first)); next < len(order); next++ {
			cols, _ := a.Row(int(order[next]))
			for _, j := range cols {
				if !met[j] {
					met[j] = true
					order = append(order, j)
				}
			}
		}
	}
	return order
}

// permuted returns the matrix with rows and columns in the new order.
func (a *CSR) permuted(r reordering) *CSR {
	b := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, len(a.Col)), Val: make([]float64, 0, len(a.Val))}
	for _, i := range r.perm {
		cols, vals := a.Row(int(i))
		for p, j := range cols {
			b.Col, b.Val = append(b.Col, r.place[j]), append(b.Val, vals[p])
		}
		b.Ptr = append(b.Ptr, len(b.Col))
	}
	return b
}

// Order returns the vertices in the order in which the lengths come: Order()[v]
// is the index in the matrix of vertex v. It must not be changed.
func (p *Paths) Order() []int32 { return p.perm }

// Place returns the number of every index of the matrix in that order.
func (p *Paths) Place() []int32 { return p.place }

// Eliminated reports whether the graph was brought to triangular form.
func (p *Paths) Eliminated() bool { return p.triangle != nil }

// Bytes returns the memory that the prepared graph holds.
func (p *Paths) Bytes() int64 {
	if p.triangle != nil {
		return 12 * int64(len(p.triangle.row))
	}
	return 12 * int64(len(p.graph.Col))
}

// Search runs count searches and hands over the lengths of the shortest paths,
// blas.PathLanes searches at a time. start puts search q on its way: it calls
// reach for every vertex from which the search sets out, with the length that is
// behind it there (0 for an ordinary source); vertices are in the order of
// [Paths.Order]. done receives the lengths of the searches lo ≤ q < hi to the
// vertices v ≥ least(lo): the length to vertex v is length[v·blas.PathLanes + q − lo],
// +Inf where there is no path; least nil: to all vertices. Entries below least(lo) are undefined,
// and the slice is the worker's scratch, which done may write to.
//
// Both functions are called from any goroutine. worker identifies the goroutine and is
// less than threads (0: all cores). The number of threads changes no bit.
func (p *Paths) Search(ctx context.Context, threads, count int, least func(lo int) int,
	start func(q int, reach func(v int, length float64)), done func(worker, lo, hi int, length []float64)) error {
	n := len(p.perm)
	workers := make([]*pathSearch, blas.Threads(threads))
	return blas.For(ctx, threads, count, blas.PathLanes, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &pathSearch{length: make([]float64, n*blas.PathLanes), reached: make([]bool, n)}
			if p.graph != nil {
				workers[w].together = newTogether(p.graph)
			}
		}
		s := workers[w]
		first := 0
		if least != nil {
			first = least(lo)
		}
		if p.triangle != nil {
			for i := range s.length {
				s.length[i] = math.Inf(1)
			}
			for q := lo; q < hi; q++ {
				start(q, func(v int, length float64) {
					at := v*blas.PathLanes + q - lo
					s.length[at], s.reached[v] = min(s.length[at], length), true
				})
			}
			p.triangle.substitute(s, first)
		} else {
			s.together.search(lo, hi, start, s.length)
		}
		done(w, lo, hi, s.length)
	})
}

// pathSearch is one worker's scratch.
type pathSearch struct {
	length   []float64 // n × lanes
	reached  []bool    // vertices that a search has set out from or climbed to
	together *together
}

// dijkstra is one worker's search through a graph, with a heap of four children
// a node: half as deep as one of two, and the children share a cache line.
type dijkstra struct {
	graph  *CSR
	length []float64
	at     []int32 // the vertex's place in the heap; none: it is not there
	heap   []pathEntry
}

type pathEntry struct {
	length float64
	vertex int32
}

func newDijkstra(graph *CSR) *dijkstra {
	return &dijkstra{graph: graph, length: make([]float64, graph.Rows), at: make([]int32, graph.Rows)}
}

func (d *dijkstra) reset() {
	for i := range d.length {
		d.length[i], d.at[i] = math.Inf(1), none
	}
}

// reach offers a path to v of that length.
func (d *dijkstra) reach(v int, length float64) {
	if !(length < d.length[v]) {
		return
	}
	d.length[v] = length
	p := d.at[v]
	if p == none {
		p = int32(len(d.heap))
		d.heap = append(d.heap, pathEntry{})
	}
	// Sift up.
	for p > 0 {
		up := (p - 1) / 4
		if d.heap[up].length <= length {
			break
		}
		d.heap[p] = d.heap[up]
		d.at[d.heap[p].vertex] = p
		p = up
	}
	d.heap[p] = pathEntry{length, int32(v)}
	d.at[v] = p
}

// run settles all vertices that can be reached, nearest first, and calls settled for each
// if it is not nil.
func (d *dijkstra) run(settled func(v int32)) {
	for len(d.heap) > 0 {
		top := d.heap[0]
		d.removeTop()
		if settled != nil {
			settled(top.vertex)
		}
		cols, lengths := d.graph.Row(int(top.vertex))
		for p, j := range cols {
			if length := top.length + lengths[p]; length < d.length[j] {
				d.reach(int(j), length)
			}
		}
	}
}

// removeTop takes the nearest vertex from the heap. Its length is final: none
// that is offered later is less.
func (d *dijkstra) removeTop() {
	last := len(d.heap) - 1
	moved := d.heap[last]
	d.heap = d.heap[:last]
	heap := d.heap
	p := 0
	for {
		child := 4*p + 1
		if child >= len(heap) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(heap)); c++ {
			if heap[c].length < heap[least].length {
				least = c
			}
		}
		if moved.length <= heap[least].length {
			break
		}
		heap[p] = heap[least]
		d.at[heap[p].vertex] = int32(p)
		p = least
	}
	if last > 0 {
		heap[p] = moved
		d.at[moved.vertex] = int32(p)
	}
}

// together is one worker's search from [blas.PathLanes] sources side by side. Dijkstra's
// search from the first of them gives the order of the vertices. In every pass the vertices whose
// lengths have decreased relax their neighbours, for all searches at once, until no length
// decreases (Bellman 1958). Sources that are near each other want few passes. A length is the least
// sum, rounded from the source on, over all paths, which is what Dijkstra's search finds too:
// rounded sums do not sink as they grow.
type together struct {
	*dijkstra
	order []int32 // of the first search; vertices that it does not reach are last
	sunk  []bool
}

// maxPathPasses bounds the work in arcs for each arc of the graph. Lengths of many magnitudes
// may want as many passes as there are vertices; each source is then searched from by
// itself.
const maxPathPasses = 16

func newTogether(graph *CSR) *together {
	n := graph.Rows
	return &together{dijkstra: newDijkstra(graph), order: make([]int32, 0, n), sunk: make([]bool, n)}
}

// search finds the lengths of the searches lo ≤ q < hi, PathLanes numbers for each vertex.
func (t *together) search(lo, hi int, start func(q int, reach func(v int, length float64)), length []float64) {
	const lanes = blas.PathLanes
	t.settle(lo, start)
	for i := range length {
		length[i] = math.Inf(1)
	}
	for q := lo; q < hi; q++ {
		start(q, func(v int, l float64) {
			at := v*lanes + q - lo
			length[at], t.sunk[v] = min(length[at], l), true
		})
	}
	if t.sink(length) {
		return
	}
	clear(t.sunk)
	for q := lo; q < hi; q++ {
		t.reset()
		start(q, t.reach)
		t.run(nil)
		for v, l := range t.dijkstra.length {
			length[v*lanes+q-lo] = l
		}
	}
}

// settle finds the order.
func (t *together) settle(q int, start func(q int, reach func(v int, length float64))) {
	t.reset()
	start(q, t.reach)
	t.order = t.order[:0]
	t.run(func(v int32) { t.order = append(t.order, v) })
	for v, l := range t.dijkstra.length {
		if math.IsInf(l, 1) {
			t.order = append(t.order, int32(v))
		}
	}
}

// sink passes lengths on until none sinks, or gives up.
func (t *together) sink(length []float64) bool {
	const lanes = blas.PathLanes
	budget := maxPathPasses * len(t.graph.Col)
	for again := true; again; {
		again = false
		for _, v := range t.order {
			if !t.sunk[v] {
				continue
			}
			t.sunk[v], again = false, true
			cols, lengths := t.graph.Row(int(v))
			blas.ShortenMark(cols, lengths, length[int(v)*lanes:], length, t.sunk)
			if budget -= len(cols); budget < 0 {
				return false
			}
		}
	}
	return true
}

// pathTriangle is a graph after the elimination of all its vertices in order:
// vertex j has an arc to row[p] > j, of the given length, for ptr[j] ≤ p <
// ptr[j+1], such that every shortest path has the length of one that first climbs
// and then descends along arcs.
type pathTriangle struct {
	ptr    []int
	row    []int32
	length []float64
}

// eliminatePaths finds the arcs row by row, as an up-looking Cholesky
// factorisation does, with minimum for sum and sum for product. About flops/2
// updates.
func eliminatePaths(ctx context.Context, a *CSR, e *elimination) (*pathTriangle, error) {
	n := len(e.perm)
	t := &pathTriangle{ptr: make([]int, n+1)}
	for j, c := range e.count {
		t.ptr[j+1] = t.ptr[j] + int(c) - 1 // without the diagonal
	}
	t.row, t.length = make([]int32, t.ptr[n]), make([]float64, t.ptr[n])
	end := append([]int(nil), t.ptr[:n]...)
	x := make([]float64, n) // the row under way
	seen := make([]int32, n)
	for j := range x {
		x[j], seen[j] = math.Inf(1), none
	}
	stack, path := make([]int32, n), make([]int32, 0, n)
	for i := range int32(n) {
		if i%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		// The columns that row i reaches: the paths up the tree from its entries, so
		// stacked that descendants come before their ancestors.
		seen[i] = i
		top := n
		cols, vals := a.Row(int(e.perm[i]))
		for p, c := range cols {
			j := e.place[c]
			if j >= i {
				continue
			}
			x[j] = min(x[j], vals[p])
			for path = path[:0]; seen[j] != i; j = e.parent[j] {
				path, seen[j] = append(path, j), i
			}
			top -= len(path)
			copy(stack[top:], path)
		}
		for _, j := range stack[top:] {
			length := x[j]
			x[j] = math.Inf(1)
			for p := t.ptr[j]; p < end[j]; p++ {
				if v := length + t.length[p]; v < x[t.row[p]] {
					x[t.row[p]] = v
				}
			}
			t.row[end[j]], t.length[end[j]] = i, length
			end[j]++
		}
	}
	return t, nil
}

// substitute takes the lengths that searches begin with, +Inf elsewhere, to
// the lengths of the shortest paths, for the vertices from least on: up along the arcs from the
// reached vertices, then down.
func (t *pathTriangle) substitute(s *pathSearch, least int) {
	const lanes = blas.PathLanes
	for j, reached := range s.reached {
		if !reached {
			continue
		}
		s.reached[j] = false
		rows := t.row[t.ptr[j]:t.ptr[j+1]]
		blas.ShortenScatter(rows, t.length[t.ptr[j]:], s.length[j*lanes:(j+1)*lanes], s.length)
		for _, i := range rows {
			s.reached[i] = true
		}
	}
	for j := len(s.reached) - 1; j >= least; j-- {
		blas.ShortenGather(t.row[t.ptr[j]:t.ptr[j+1]], t.length[t.ptr[j]:], s.length, s.length[j*lanes:(j+1)*lanes])
	}
}
