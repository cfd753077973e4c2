package density

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// Edges are the edges of a spanning tree, or of a forest, in any order.
type Edges struct {
	From, To []int32
	Weight   []float64 // ≥ 0
}

// Hierarchy is the single-linkage tree of n samples: the nodes 0 to n − 1 are the samples, and node n + i joins two earlier
// nodes at Height[i]. A forest has several roots.
type Hierarchy struct {
	Samples     int
	Left, Right []int32   // the two nodes of each join
	Height      []float64 // of each join, ascending
	Size        []int32   // samples of each join

	first []int32 // the smallest sample of each join
	roots []int32 // ascending by their smallest sample
}

// checkEvery is the number of steps after which the context is asked.
const checkEvery = 1 << 14

// NewHierarchy joins n samples by the edges of a spanning forest, the shortest first. Edges that close a cycle, and weights that are negative
// or NaN, are errors. O(n log n).
func NewHierarchy(ctx context.Context, n int, edges Edges) (*Hierarchy, error) {
	if len(edges.From) != len(edges.To) || len(edges.From) != len(edges.Weight) {
		return nil, fmt.Errorf("density: %d and %d ends of edges with %d weights; give one of each for each edge", len(edges.From), len(edges.To), len(edges.Weight))
	}
	order := make([]int32, len(edges.From))
	for e, w := range edges.Weight {
		order[e] = int32(e)
		a, b := edges.From[e], edges.To[e]
		if a < 0 || b < 0 || int(a) >= n || int(b) >= n {
			return nil, fmt.Errorf("density: edge %d (counting from 1) joins samples %d and %d of %d, counting from 0", e+1, a, b, n)
		}
		if !(w >= 0) {
			return nil, fmt.Errorf("density: edge %d (counting from 1) has weight %v; give numbers ≥ 0", e+1, w)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(edges.Weight[a], edges.Weight[b]), cmp.Compare(a, b))
	})
	h := &Hierarchy{Samples: n, Left: make([]int32, len(order)), Right: make([]int32, len(order)),
		Height: make([]float64, len(order)), Size: make([]int32, len(order)), first: make([]int32, len(order))}
	set := sparse.NewDisjoint(n)
	node := make([]int32, n) // of the component that a set's representative stands for
	for i := range node {
		node[i] = int32(i)
	}
	for at, e := range order {
		if at%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a, b := set.Find(edges.From[e]), set.Find(edges.To[e])
		if a == b {
			return nil, fmt.Errorf("density: the edge of samples %d and %d (counting from 0) closes a cycle; give a spanning forest", edges.From[e], edges.To[e])
		}
		l, r := node[a], node[b]
		if h.firstOf(r) < h.firstOf(l) {
			l, r = r, l
		}
		h.Left[at], h.Right[at], h.Height[at] = l, r, edges.Weight[e]
		h.Size[at], h.first[at] = h.sizeOf(l)+h.sizeOf(r), h.firstOf(l)
		node[set.Join(a, b)] = int32(n + at)
	}
	for i := range n {
		if set.Find(int32(i)) == int32(i) {
			h.roots = append(h.roots, node[i])
		}
	}
	slices.SortFunc(h.roots, func(a, b int32) int { return cmp.Compare(h.firstOf(a), h.firstOf(b)) })
	return h, nil
}

// sizeOf returns the number of samples of a node.
func (h *Hierarchy) sizeOf(node int32) int32 {
	if int(node) < h.Samples {
		return 1
	}
	return h.Size[int(node)-h.Samples]
}

// firstOf returns the smallest sample of a node.
func (h *Hierarchy) firstOf(node int32) int32 {
	if int(node) < h.Samples {
		return node
	}
	return h.first[int(node)-h.Samples]
}

// heightOf returns the distance at which a node is joined; −1 for a sample.
func (h *Hierarchy) heightOf(node int32) float64 {
	if int(node) < h.Samples {
		return -1
	}
	return h.Height[int(node)-h.Samples]
}

// parts appends the components that remain of a node once all edges of its height are removed.
func (h *Hierarchy) parts(node int32, into []int32) []int32 {
	height, at := h.heightOf(node), len(into)
	into = append(into, node)
	for at < len(into) {
		v := into[at]
		if h.heightOf(v) != height {
			at++
			continue
		}
		into[at] = h.Left[int(v)-h.Samples]
		into = append(into, h.Right[int(v)-h.Samples])
	}
	return into
}

// each calls visit for every sample of a node. stack is scratch, which is returned.
func (h *Hierarchy) each(node int32, stack []int32, visit func(sample int32)) []int32 {
	for stack = append(stack[:0], node); len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int(v) < h.Samples {
			visit(v)
			continue
		}
		stack = append(stack, h.Left[int(v)-h.Samples], h.Right[int(v)-h.Samples])
	}
	return stack
}

// density returns λ = 1/distance, the scale on which clusters live: 0 for samples that nothing joins, +Inf for duplicates.
func density(distance float64) float64 {
	if distance == 0 {
		return math.Inf(1)
	}
	return 1 / distance
}
