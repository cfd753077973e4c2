package sparse

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas/pages"
)

// MinimumDegree returns an elimination order of a symmetric matrix that keeps
// the Cholesky factor sparse: perm[k] is the original index of the k-th pivot.
// Only the pattern is read; the diagonal may be present or absent. A pattern
// that is not square and symmetric is a programmer's mistake and panics; see
// [Analyze] for a checked entry point.
//
// The method is approximate minimum degree (Amestoy, Davis and Duff 1996,
// 2004) with mass elimination, supervariables, aggressive absorption of
// elements, and rows of more than 10√n entries put last. Time is close to
// O(nnz) for the graphs of neighbourhoods, memory about 1.2·nnz + 12·n 32-bit
// numbers.
func MinimumDegree(a *CSR) []int32 {
	if err := checkSymmetric(a); err != nil {
		panic(err)
	}
	perm, _ := minimumDegree(context.Background(), a) // a background context is never cancelled
	return perm
}

// minimumDegree is MinimumDegree for a pattern already checked. It stops with
// the context's error when that is cancelled.
func minimumDegree(ctx context.Context, a *CSR) ([]int32, error) {
	return newQuotientGraph(a).run(ctx, math.Inf(1))
}

// run eliminates all variables and returns their order. It ends with a [FillError] as soon as the factor is known to take more
// than this many operations: the neighbours of a pivot form a clique, whose own factor alone takes a third of its cube.
func (g *quotientGraph) run(ctx context.Context, most float64) ([]int32, error) {
	flops := 0.0
	for pivots := 0; g.left > 0; pivots++ {
		if pivots%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		me, before := g.nextPivot(), g.left
		g.eliminate(me)
		below := float64(g.degree[me])
		if flops += float64(before-g.left) * below * below; flops+below*below*below/3 > most {
			return nil, &FillError{Most: most}
		}
	}
	return g.order(), nil
}

// denseRow is the degree from which a row is left to the end: such a row makes
// every elimination near it slow and fills up whatever the order.
func denseRow(n int) int { return max(16, int(10*math.Sqrt(float64(n)))) }

// newQuotientGraph is the elimination graph of a.
func newQuotientGraph(a *CSR) *quotientGraph {
	g := new(quotientGraph)
	g.load(a)
	return g
}

// load copies the off-diagonal pattern of a, into the memory of an earlier graph as far as that goes.
func (g *quotientGraph) load(a *CSR) {
	n := a.Rows
	*g = quotientGraph{
		n: n, left: n, flag: 1, storage: g.storage,
		lists:  inRoom(g.lists, len(a.Col)+len(a.Col)/5+n),
		start:  inRoom(g.start, n),
		bucket: inRoom(g.bucket, n),
		pivots: inRoom(g.pivots, n)[:0],
	}
	fields := []*[]int32{&g.size, &g.elements, &g.weight, &g.degree, &g.mark, &g.head, &g.next, &g.prev, &g.parent}
	g.storage = inRoom(g.storage, len(fields)*n)
	clear(g.storage)
	for f, field := range fields {
		*field = g.storage[f*n : (f+1)*n : (f+1)*n]
	}
	for i := range n {
		g.start[i] = g.free
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if int(j) != i {
				g.lists[g.free] = j
				g.free++
			}
		}
		g.size[i] = int32(g.free - g.start[i])
		g.weight[i], g.mark[i] = 1, 1
		g.head[i], g.bucket[i], g.parent[i] = none, none, none
	}
	dense := denseRow(n)
	for i := range int32(n) {
		switch d := g.size[i]; {
		case d == 0:
			g.pivots = append(g.pivots, i)
			g.elements[i], g.mark[i] = isElement, 0
			g.left--
		case int(d) > dense:
			g.last = append(g.last, i)
			g.weight[i] = 0
			g.left--
		default:
			g.degree[i] = d
			g.file(i)
		}
	}
}

// order lists the variables pivot by pivot, each followed by those that were
// eliminated with it, and the dense rows last.
func (g *quotientGraph) order() []int32 {
	n := g.n
	g.pivots = append(g.pivots, g.last...)
	step := g.degree // no longer needed
	for i := range step {
		step[i] = none
	}
	for k, i := range g.pivots {
		step[i] = int32(k)
	}
	// A variable that was merged or eliminated along with a pivot takes the step
	// of whatever it went into; paths are shortened on the way.
	for i := range int32(n) {
		root := i
		for step[root] == none {
			root = g.parent[root]
		}
		for j := i; step[j] == none; j = g.parent[j] {
			step[j] = step[root]
		}
	}
	return orderByKey(step, len(g.pivots))
}

// orderByKey returns the indices sorted by key, 0 ≤ key < keys; equal keys keep
// the order of their indices.
func orderByKey(key []int32, keys int) []int32 {
	at := make([]int32, keys+1)
	for _, k := range key {
		at[k+1]++
	}
	for k := range keys {
		at[k+1] += at[k]
	}
	sorted := make([]int32, len(key))
	for i, k := range key {
		sorted[at[k]] = int32(i)
		at[k]++
	}
	return sorted
}

const (
	none      = int32(-1) // the end of a linked list, no parent
	isElement = int32(-1) // in quotientGraph.elements: the node has become an element
)

// quotientGraph is the elimination graph in the form that never grows: a
// variable knows its original neighbours and the elements (eliminated pivots)
// it touches, an element knows its variables, and two variables are adjacent
// when they are neighbours or share an element.
//
// A node is a variable (weight > 0, elements ≥ 0), an element
// (elements = isElement), or gone: merged into its parent (weight = 0), or an
// element absorbed by its parent (mark = 0).
type quotientGraph struct {
	n     int
	left  int     // variables not yet eliminated, counted by weight
	lists []int32 // the lists of all nodes; free is the first unused place
	free  int

	start    []int   // node's list is lists[start : start+size]
	size     []int32 //
	elements []int32 // the first this many of a variable's list are elements
	weight   []int32 // variables merged into a supervariable; negative while in the current pivot's element
	degree   []int32 // variable: bound on the external degree; element: weight of its variables
	mark     []int32 // time stamps; 0 for an absorbed element
	parent   []int32 // where a node that is gone went

	// Variables by degree, doubly linked. A variable of the current element is in
	// no degree list; its next then links a hash bucket and its prev is its hash.
	head, next, prev []int32
	bucket           []int32
	lowest           int // no degree list below this is occupied

	flag    int32 // stamps from here on are of the current pivot
	largest int32 // greatest element degree so far
	pivots  []int32
	last    []int32 // dense rows, to be ordered last

	stages  *stages // nil unless variables wait for their stage
	storage []int32 // of the fields of all nodes
}

// file puts variable i into the list of its degree.
func (g *quotientGraph) file(i int32) {
	d := g.degree[i]
	h := g.head[d]
	g.next[i], g.prev[i] = h, none
	if h != none {
		g.prev[h] = i
	}
	g.head[d] = i
	g.lowest = min(g.lowest, int(d))
}

// unfile takes variable i out of the list of its degree.
func (g *quotientGraph) unfile(i int32) {
	n, p := g.next[i], g.prev[i]
	if n != none {
		g.prev[n] = p
	}
	if p != none {
		g.next[p] = n
	} else {
		g.head[g.degree[i]] = n
	}
}

// nextPivot takes a variable of least degree out of the lists.
func (g *quotientGraph) nextPivot() int32 {
	for g.lowest == g.n || g.head[g.lowest] == none {
		if g.lowest++; g.lowest >= g.n {
			g.lowest = g.n
			g.openStage()
		}
	}
	me := g.head[g.lowest]
	g.unfile(me)
	return me
}

// eliminate turns variable me into an element and brings the degrees of the
// variables it touches up to date.
func (g *quotientGraph) eliminate(me int32) {
	g.reserve(int(g.degree[me]))
	pivots := g.weight[me]
	g.left -= int(pivots)
	g.pivots = append(g.pivots, me)
	atEnd := g.elements[me] > 0
	g.formElement(me)
	g.freshStamps()
	g.stampOverlaps(me)
	g.updateDegrees(me)
	g.largest = max(g.largest, g.degree[me])
	g.flag += g.largest
	g.freshStamps()
	g.mergeTwins(me)
	g.refile(me)
	if atEnd {
		g.free = g.start[me] + int(g.size[me])
	}
}

// formElement gathers the variables adjacent to the pivot: its remaining
// neighbours and the variables of its elements. The elements are absorbed.
// With no elements the pivot's own list is filtered in place.
func (g *quotientGraph) formElement(me int32) {
	lists, weight := g.lists, g.weight
	own, elements := g.start[me], int(g.elements[me])
	end := own + int(g.size[me])
	dst := own
	if elements > 0 {
		dst = g.free
	}
	lo, degree := dst, int32(0)
	weight[me] = -weight[me] // so that me drops out of the lists as well
	for k := own; k <= own+elements; k++ {
		from, to := own+elements, end // last: the pivot's own neighbours
		if k < own+elements {
			e := lists[k]
			from = g.start[e]
			to = from + int(g.size[e])
			g.parent[e], g.mark[e] = me, 0
		}
		for _, i := range lists[from:to] {
			w := weight[i]
			if w <= 0 {
				continue // merged, dense, or already taken
			}
			degree += w
			weight[i] = -w
			lists[dst] = i
			dst++
			g.unfile(i)
		}
	}
	g.start[me], g.size[me] = lo, int32(dst-lo)
	g.elements[me], g.degree[me] = isElement, degree
	if elements > 0 {
		g.free = dst
	}
}

// stampOverlaps leaves mark[e] = flag + |Lₑ \ Lₘₑ| for every element e that
// shares variables with the new element.
func (g *quotientGraph) stampOverlaps(me int32) {
	lists, mark, degree, flag := g.lists, g.mark, g.degree, g.flag
	for _, i := range g.list(me) {
		w := -g.weight[i]
		at := g.start[i]
		for _, e := range lists[at : at+int(g.elements[i])] {
			switch m := mark[e]; {
			case m >= flag:
				mark[e] = m - w
			case m != 0:
				mark[e] = degree[e] + flag - w
			}
		}
	}
}

// updateDegrees rebuilds the list of every variable of the new element: absorbed
// elements and neighbours within the element leave it, the element enters it.
// A variable left with nothing else is eliminated together with the pivot. The
// others get a new bound on their degree and are filed by a hash of their list.
func (g *quotientGraph) updateDegrees(me int32) {
	lists, mark, weight, flag := g.lists, g.mark, g.weight, g.flag
	for _, i := range g.list(me) {
		at := g.start[i]
		split, end := at+int(g.elements[i]), at+int(g.size[i])
		dst, degree, hash := at, int32(0), uint32(0)
		for _, e := range lists[at:split] {
			m := mark[e]
			if m == 0 {
				continue
			}
			if outside := m - flag; outside > 0 {
				degree += outside
				lists[dst] = e
				dst++
				hash += uint32(e)
			} else { // e is contained in the new element: aggressive absorption
				g.parent[e], mark[e] = me, 0
			}
		}
		kept := dst
		for _, j := range lists[split:end] {
			if w := weight[j]; w > 0 {
				degree += w
				lists[dst] = j
				dst++
				hash += uint32(j)
			}
		}
		if dst == at && !g.reachesOut(i) {
			w := -weight[i]
			g.parent[i], weight[i], g.elements[i] = me, 0, isElement
			g.degree[me] -= w
			g.left -= int(w)
			continue
		}
		// The list of i held me, or an element that me absorbed, so there is room.
		lists[dst] = lists[kept]
		lists[kept] = me
		g.elements[i], g.size[i] = int32(kept-at)+1, int32(dst-at)+1
		g.degree[i] = min(g.degree[i], degree)
		h := int32(hash % uint32(g.n))
		g.prev[i], g.next[i] = h, g.bucket[h]
		g.bucket[h] = i
	}
}

// mergeTwins makes one supervariable of variables of the new element that have
// the same list: their rows of the factor will be the same.
func (g *quotientGraph) mergeTwins(me int32) {
	for _, v := range g.list(me) {
		if g.weight[v] == 0 {
			continue
		}
		h := g.prev[v]
		i := g.bucket[h]
		g.bucket[h] = none
		for ; i != none && g.next[i] != none; i = g.next[i] {
			for _, x := range g.list(i) {
				g.mark[x] = g.flag
			}
			before := i
			for j := g.next[i]; j != none; j = g.next[j] {
				if g.same(i, j) && g.reachesOut(i) == g.reachesOut(j) {
					g.parent[j] = i
					if g.stages != nil { // together they make no more fill than one after the other
						g.stages.of[i] = min(g.stages.of[i], g.stages.of[j])
					}
					g.weight[i] += g.weight[j]
					g.weight[j], g.elements[j] = 0, isElement
					g.next[before] = g.next[j]
				} else {
					before = j
				}
			}
			g.flag++
		}
	}
}

// same reports whether the list of j has the same nodes as the list of i, whose nodes carry the
// current stamp.
func (g *quotientGraph) same(i, j int32) bool {
	if g.size[i] != g.size[j] || g.elements[i] != g.elements[j] {
		return false
	}
	for _, x := range g.list(j) {
		if g.mark[x] != g.flag {
			return false
		}
	}
	return true
}

// refile drops from the new element the variables that went elsewhere and files
// the rest by their new degrees.
func (g *quotientGraph) refile(me int32) {
	list := g.list(me)
	within := int(g.degree[me])
	kept := 0
	for _, i := range list {
		w := -g.weight[i]
		if w == 0 {
			continue
		}
		g.weight[i] = w
		g.degree[i] = int32(min(int(g.degree[i])+within, g.left) - int(w))
		if g.stages == nil || g.stages.of[i] == g.stages.now {
			g.file(i)
		} else {
			g.setAside(i)
		}
		list[kept] = i
		kept++
	}
	g.weight[me] = -g.weight[me]
	g.size[me] = int32(kept)
	g.mark[me] = g.flag - 1
	if kept == 0 {
		g.mark[me] = 0
	}
}

// list returns the list of a node.
func (g *quotientGraph) list(i int32) []int32 {
	at := g.start[i]
	return g.lists[at : at+int(g.size[i])]
}

// freshStamps makes sure that flag + n fits, by forgetting all stamps.
func (g *quotientGraph) freshStamps() {
	if int(g.flag) < math.MaxInt32-2*g.n-2 {
		return
	}
	for i, m := range g.mark {
		if m != 0 {
			g.mark[i] = 1
		}
	}
	g.flag = 2
}

// reserve makes room for a list of the given length at the end. The lists of a
// quotient graph never need more than the original pattern together, so once
// the gaps are closed there is room for any one more.
func (g *quotientGraph) reserve(size int) {
	if g.free+size <= len(g.lists) {
		return
	}
	// The first place of every list in use names its owner, whose start keeps
	// the former content; one pass then moves the lists down in their order.
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

// stages makes a quotient graph eliminate its variables stage by stage.
type stages struct {
	of      []int32 // the stage of each variable
	members []int32 // the variables by stage
	next    int     // the first member of the stages to come
	now     int32
	// inner, if not 0, is the number of stages whose variables have all their entries in the
	// pattern: others have more of them elsewhere, and are never eliminated along with these.
	inner int32
}

// reachesOut reports whether variable i has entries beyond the pattern.
func (g *quotientGraph) reachesOut(i int32) bool {
	return g.stages != nil && g.stages.inner > 0 && g.stages.of[i] >= g.stages.inner
}

// stagedMinimumDegree is minimumDegree where variables of a lower stage come
// before variables of a higher one, 0 ≤ stage < n, unless the other order makes no
// more fill. All variables count for the degrees, whatever their stage
// (minimum degree with constraints; Liu 1989).
func stagedMinimumDegree(ctx context.Context, a *CSR, stage []int32) ([]int32, error) {
	g := newQuotientGraph(a)
	g.impose(stage)
	return g.run(ctx, math.Inf(1))
}

// innerMinimumDegree is the order of the first this many variables where the others come
// later, and have entries beyond the pattern. g is scratch space.
func (g *quotientGraph) innerMinimumDegree(ctx context.Context, a *CSR, inner int) ([]int32, error) {
	stage := pages.Make[int32](a.Rows)
	for i := inner; i < a.Rows; i++ {
		stage[i] = 1
	}
	g.load(a)
	g.impose(stage)
	g.stages.inner = 1
	perm, err := g.run(ctx, math.Inf(1))
	if err != nil {
		return nil, err
	}
	order := perm[:0]
	for _, i := range perm {
		if int(i) < inner {
			order = append(order, i)
		}
	}
	return order, nil
}

// impose takes all variables out of the degree lists and sets the stages.
func (g *quotientGraph) impose(stage []int32) {
	g.stages = &stages{of: stage, members: orderByKey(stage, g.n), now: none}
	for i := range int32(g.n) {
		g.head[i] = none
		g.setAside(i)
	}
	g.lowest = g.n
}

// setAside makes a variable that is in no degree list safe to unfile.
func (g *quotientGraph) setAside(i int32) { g.next[i], g.prev[i] = i, i }

// openStage files the variables of the next stage. A merged one represents
// the variable that absorbed it, which may be of a later stage itself.
func (g *quotientGraph) openStage() {
	s := g.stages
	s.now = max(s.now, s.of[s.members[s.next]]) // a merger may have lowered the latter
	for ; s.next < g.n && s.of[s.members[s.next]] <= s.now; s.next++ {
		i := g.standsFor(s.members[s.next])
		if waiting := g.next[i] == i; waiting && g.weight[i] > 0 && g.elements[i] != isElement {
			g.file(i)
		}
	}
}

// standsFor returns the variable that i was merged into, i itself where it was not.
func (g *quotientGraph) standsFor(i int32) int32 {
	for g.weight[i] == 0 && g.parent[i] != none {
		i = g.parent[i]
	}
	return i
}
