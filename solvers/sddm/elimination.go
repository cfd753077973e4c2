package sddm

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// elimination makes the approximate factor. When vertex v with the edges w₁ ≤ w₂ ≤ … to its neighbours and the excess e is eliminated,
// S = Σw + e, the exact Schur complement has a clique of the edges wᵢwⱼ/S, and adds wᵢe/S to the excess of neighbour i. The clique
// is replaced by a tree of its expectation: neighbour i gets one edge, to a later neighbour j that is drawn with probability wⱼ/Rᵢ, of the
// weight wᵢRᵢ/S, where Rᵢ is the sum of the weights after i (Gao, Kyng and Spielman 2023, algorithm AC). An edge that stands for several copies is
// drawn once for each (AC-k), which lowers the variance. The excess is handed on exactly. All numbers are sums and products of numbers that
// are not negative, so no digits cancel, whatever the weights.
//
// The next vertex is one of about the smallest number of edges.
type elimination struct {
	a      *sparse.CSR // off-diagonal entries are weights with a minus sign
	splits int32
	random *blas.Stream

	excess []float64
	degree []int32 // of the vertices left: edges, copies included
	place  []int32 // in the order of elimination; −1: not eliminated
	queue  *degreeQueue

	added []addedEdge // lists of the edges that were drawn, from both ends
	first []int32     // of each vertex; −1: none
	free  int32       // the first unused place of added; −1: none

	near  []neighbor // of the vertex under way
	at    []int32    // the place of a vertex in near; −1: it is not there
	items []item
	sums  []float64 // items and all after them

	level  []int32
	levels int32
	pivots []float64 // S, by vertex
	ptr    []int     // of the columns, in the order of elimination
	col    []int32
	val    []float64
	order  []int32

	limit int64 // bytes; 0: none
}

type addedEdge struct {
	weight   float64
	to, next int32
}

type neighbor struct {
	weight float64
	vertex int32
	copies int32 // edges that were merged
	gained int32 // edges drawn
}

// item is one copy of an edge to a neighbour.
type item struct {
	weight float64
	which  int32 // its place in near
}

func newElimination(a *sparse.CSR, excess []float64, splits int, seed uint64, limit int64) *elimination {
	n := a.Rows
	e := &elimination{
		a: a, splits: int32(splits), random: blas.NewStream(seed), excess: slices.Clone(excess), degree: make([]int32, n), place: filled(n, -1),
		first: filled(n, -1), free: -1, at: filled(n, -1), level: make([]int32, n), pivots: make([]float64, n), ptr: make([]int, 1, n+1), order: make([]int32, 0, n), limit: limit,
		added: make([]addedEdge, 0, a.NNZ()/4), col: pages.Make[int32](a.NNZ())[:0], val: pages.Make[float64](a.NNZ())[:0],
	}
	for i := range n {
		e.degree[i] = int32(a.Ptr[i+1]-a.Ptr[i]) * e.splits
	}
	e.queue = newDegreeQueue(e.degree)
	return e
}

// asked is the number of eliminations between two looks at the context.
const asked = 4096

// run eliminates all vertices.
func (e *elimination) run(ctx context.Context) (*factor, error) {
	for k := range e.a.Rows {
		if k%asked == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if e.limit > 0 && e.bytes() > e.limit {
				return nil, &sparse.MemoryError{What: "the approximate factor", Need: e.bytes(), Limit: e.limit, Remedy: "raise the limit, or take the preconditioner diagonal"}
			}
		}
		e.eliminate(e.queue.take())
	}
	return e.factor(), nil
}

// bytes is about what the factor takes now: its columns once more while they are put into order, and the lists of edges.
func (e *elimination) bytes() int64 {
	return 24*int64(len(e.col)) + 16*int64(cap(e.added)) + 64*int64(e.a.Rows)
}

// gather merges the edges of v to the vertices left.
func (e *elimination) gather(v int32) {
	e.near = e.near[:0]
	cols, vals := e.a.Row(int(v))
	for p, j := range cols {
		if j != v && vals[p] != 0 && e.place[j] < 0 {
			e.meet(j, -vals[p], e.splits)
		}
	}
	for at := e.first[v]; at >= 0; {
		edge := &e.added[at]
		if e.place[edge.to] < 0 {
			e.meet(edge.to, edge.weight, 1)
		}
		next := edge.next
		edge.next, e.free = e.free, at
		at = next
	}
	for q := range e.near {
		e.at[e.near[q].vertex] = -1
	}
}

func (e *elimination) meet(j int32, weight float64, copies int32) {
	if at := e.at[j]; at >= 0 {
		e.near[at].weight += weight
		e.near[at].copies += copies
		return
	}
	e.at[j] = int32(len(e.near))
	e.near = append(e.near, neighbor{weight: weight, vertex: j, copies: copies})
}

func (e *elimination) eliminate(v int32) {
	e.place[v] = int32(len(e.order)) // before its edges are gathered: it is not its own neighbour
	e.order = append(e.order, v)
	e.gather(v)
	pivot := e.excess[v]
	for q := range e.near {
		pivot += e.near[q].weight
	}
	e.pivots[v] = pivot
	if pivot == 0 {
		e.near = e.near[:0] // weights that have vanished
	}
	e.draw(pivot)
	for q := range e.near {
		u := &e.near[q]
		share := u.weight / pivot
		e.col, e.val = append(e.col, u.vertex), append(e.val, share)
		if e.excess[v] > 0 {
			e.excess[u.vertex] += share * e.excess[v]
		}
		e.degree[u.vertex] += u.gained - u.copies
		e.queue.move(u.vertex, e.degree[u.vertex])
		e.level[u.vertex] = max(e.level[u.vertex], e.level[v]+1)
	}
	e.levels = max(e.levels, e.level[v]+1)
	e.ptr = append(e.ptr, len(e.col))
}

// draw replaces the clique of the neighbours by a tree.
func (e *elimination) draw(pivot float64) {
	e.items = e.items[:0]
	for q := range e.near {
		u := &e.near[q]
		kept := min(u.copies, e.splits)
		for range kept {
			e.items = append(e.items, item{u.weight / float64(kept), int32(q)})
		}
	}
	if len(e.items) < 2 {
		return
	}
	slices.SortFunc(e.items, func(x, y item) int {
		if x.weight != y.weight {
			return cmp.Compare(x.weight, y.weight)
		}
		return cmp.Compare(x.which, y.which)
	})
	// The sums are taken from the largest on, so that each is as exact as its terms allow.
	count := len(e.items)
	e.sums = grown(e.sums, count)
	sum := 0.0
	for i := count - 1; i >= 0; i-- {
		sum += e.items[i].weight
		e.sums[i] = sum
	}
	for i := range count - 1 {
		after := e.sums[i+1]
		j := count - 1
		if i < count-2 {
			level := e.random.Uniform() * after // the item that this level lies in, counted from the last
			rest := e.sums[i+1:]
			j = i + sort.Search(len(rest), func(s int) bool { return rest[s] <= level })
		}
		one, other := &e.near[e.items[i].which], &e.near[e.items[j].which]
		if one == other {
			continue
		}
		weight := e.items[i].weight * (after / pivot)
		e.add(one.vertex, other.vertex, weight)
		e.add(other.vertex, one.vertex, weight)
		one.gained++
		other.gained++
	}
}

// add enters an edge into the list of one of its ends.
func (e *elimination) add(v, to int32, weight float64) {
	at := e.free
	if at >= 0 {
		e.free = e.added[at].next
	} else {
		at = int32(len(e.added))
		e.added = append(e.added, addedEdge{})
	}
	e.added[at] = addedEdge{weight, to, e.first[v]}
	e.first[v] = at
}

func grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n, n+n/2)
	}
	return x[:n]
}
