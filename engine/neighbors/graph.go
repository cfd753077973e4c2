package neighbors

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// Graph lists the neighbours of every sample, nearest first: sample i has
// Index[Ptr[i]:Ptr[i+1]], with the distances Dist at the same positions. Dist is nil if the search returned
// only the lists (see [Options.ListsOnly]). Rules that weight the neighbours they choose store the
// weights in Weight; otherwise Weight is nil.
type Graph struct {
	Ptr    []int
	Index  []int32
	Dist   []float64
	Weight []float64

	once   sync.Once
	mutual []bool // of Mutual
}

// newGraph returns a graph with storage for k neighbours of each of n samples.
func newGraph(n, k int) *Graph { return newLists(n, k, false) }

// newLists is newGraph; only: without storage for the distances.
func newLists(n, k int, only bool) *Graph {
	g := &Graph{Ptr: make([]int, n+1), Index: pages.Make[int32](n * k)}
	if !only {
		g.Dist = pages.Make[float64](n * k)
	}
	for i := range n {
		g.Ptr[i+1] = (i + 1) * k
	}
	return g
}

// Bytes returns the memory of the graph, including the result kept by [Graph.Mutual]; 0 for nil.
func (g *Graph) Bytes() int64 {
	if g == nil {
		return 0
	}
	return 8*int64(len(g.Ptr)) + 5*int64(cap(g.Index)) + 8*int64(cap(g.Dist)+cap(g.Weight))
}

// Len returns the number of samples.
func (g *Graph) Len() int { return len(g.Ptr) - 1 }

// Of returns the neighbours of sample i, nearest first.
func (g *Graph) Of(i int) []int32 { return g.Index[g.Ptr[i]:g.Ptr[i+1]] }

// Distances returns the distances of sample i to its neighbours, in the order
// of [Graph.Of].
func (g *Graph) Distances(i int) []float64 { return g.Dist[g.Ptr[i]:g.Ptr[i+1]] }

// Weights returns the weights of sample i's neighbours, in the order of
// [Graph.Of]; the graph must have weights.
func (g *Graph) Weights(i int) []float64 { return g.Weight[g.Ptr[i]:g.Ptr[i+1]] }

// MaxDegree returns the length of the longest list.
func (g *Graph) MaxDegree() int {
	var k int
	for i := range g.Len() {
		k = max(k, g.Ptr[i+1]-g.Ptr[i])
	}
	return k
}

// Degrees returns the length of the shortest list, the mean length rounded down, and the
// length of the longest.
func (g *Graph) Degrees() (least, mean, most int) {
	n := g.Len()
	if n == 0 {
		return 0, 0, 0
	}
	least = len(g.Index)
	for i := range n {
		k := g.Ptr[i+1] - g.Ptr[i]
		least, most = min(least, k), max(most, k)
	}
	return least, len(g.Index) / n, most
}

// Matrix returns the graph as a square matrix: row i has the weights of sample i's
// neighbours, or their distances if the graph has no weights. An index outside the
// graph is an error. O(nk log k).
func (g *Graph) Matrix() (*sparse.CSR, error) { return g.MatrixOf(g.Len()) }

// MatrixOf is [Graph.Matrix] for queries and their neighbours among n samples, with one row for each query
// and one column for each sample.
func (g *Graph) MatrixOf(n int) (*sparse.CSR, error) {
	value := g.Weight
	if value == nil {
		value = g.Dist
	}
	if len(value) != len(g.Index) {
		return nil, fmt.Errorf("graph: %d neighbours and %d weights or distances; give as many of each", len(g.Index), len(value))
	}
	return sparse.FromEntries(g.Len(), n, func(put func(i, j int, v float64)) {
		for i := range g.Len() {
			for p := g.Ptr[i]; p < g.Ptr[i+1]; p++ {
				put(i, int(g.Index[p]), value[p])
			}
		}
	})
}

// Truncated returns the graph of the first k neighbours of every sample, without
// weights: the weights of fewer neighbours would differ.
func (g *Graph) Truncated(k int) *Graph {
	t := &Graph{Ptr: make([]int, len(g.Ptr))}
	room := min(g.Len()*min(k, g.MaxDegree()), len(g.Index))
	if t.Index = pages.Make[int32](room)[:0]; g.Dist != nil {
		t.Dist = pages.Make[float64](room)[:0]
	}
	for i := range g.Len() {
		end := min(g.Ptr[i]+k, g.Ptr[i+1])
		t.Index = append(t.Index, g.Index[g.Ptr[i]:end]...)
		if g.Dist != nil {
			t.Dist = append(t.Dist, g.Dist[g.Ptr[i]:end]...)
		}
		t.Ptr[i+1] = len(t.Index)
	}
	return t
}

// Restrict returns the graph of the given samples, renumbered in their order.
// Every neighbour of a member must itself be a member, as in a union of
// connected components.
func (g *Graph) Restrict(members []int) *Graph { return g.RestrictParallel(1, members) }

// RestrictParallel is [Graph.Restrict] on the given number of threads, 0 for all cores.
func (g *Graph) RestrictParallel(threads int, members []int) *Graph {
	numbered := numbersOf(members, g.Len())
	r := &Graph{Ptr: make([]int, len(members)+1)}
	for at, i := range members {
		r.Ptr[at+1] = r.Ptr[at] + g.Ptr[i+1] - g.Ptr[i]
	}
	entries := r.Ptr[len(members)]
	r.Index = pages.Make[int32](entries)
	if g.Dist != nil {
		r.Dist = pages.Make[float64](entries)
	}
	if g.Weight != nil {
		r.Weight = pages.Make[float64](entries)
	}
	inLists(threads, len(members), func(at int) {
		i := members[at]
		for q, j := range g.Of(i) {
			r.Index[r.Ptr[at]+q] = numbered(j)
		}
		if g.Dist != nil {
			copy(r.Distances(at), g.Distances(i))
		}
		if g.Weight != nil {
			copy(r.Weights(at), g.Weights(i))
		}
	})
	return r
}

// numbersOf returns the places of members among themselves, by a list of all n samples, or by a table if they are few: a graph may have as many
// components as samples.
func numbersOf(members []int, n int) func(i int32) int32 {
	const few = 16
	if few*len(members) < n {
		to := make(map[int32]int32, len(members))
		for at, i := range members {
			to[int32(i)] = int32(at)
		}
		return func(i int32) int32 { return to[i] }
	}
	to := make([]int32, n)
	for at, i := range members {
		to[i] = int32(at)
	}
	return func(i int32) int32 { return to[i] }
}

// WithoutDistances returns the graph without its distances; the lists are shared.
func (g *Graph) WithoutDistances() *Graph {
	return &Graph{Ptr: g.Ptr, Index: g.Index, Weight: g.Weight}
}

// Components labels the connected components of the union graph, in which i
// and j are joined if either lists the other. Labels count from 0 in the order
// of each component's first sample. O(nk α(n)).
func (g *Graph) Components() (label []int, sizes []int) {
	sets := sparse.NewDisjoint(g.Len())
	for i := range g.Len() {
		for _, j := range g.Of(i) {
			sets.Connect(int32(i), j)
		}
	}
	return sets.Labels()
}

// Mutual reports, for each list entry, whether the neighbour lists the sample too. The
// result is computed once, in O(nk²), and kept: neither the lists nor the result may be changed
// afterwards.
func (g *Graph) Mutual() []bool { return g.MutualParallel(1) }

// MutualParallel is [Graph.Mutual] on the given number of threads, 0 for all cores.
func (g *Graph) MutualParallel(threads int) []bool {
	g.once.Do(func() {
		g.mutual = make([]bool, len(g.Index))
		inLists(threads, g.Len(), func(i int) {
			for p, j := range g.Of(i) {
				for _, back := range g.Of(int(j)) {
					if int(back) == i {
						g.mutual[g.Ptr[i]+p] = true
						break
					}
				}
			}
		})
	})
	return g.mutual
}

// inLists calls do for each of n lists, which are independent.
func inLists(threads, n int, do func(i int)) {
	// The context is never cancelled, so neither is the loop.
	_ = blas.For(context.Background(), threads, n, 1024, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// GraphBytes returns the memory of a graph of k neighbours of n samples.
func GraphBytes(n, k int) int64 { return listsBytes(n, k, false) }

// listsBytes is GraphBytes; only: without the distances.
func listsBytes(n, k int, only bool) int64 {
	if only {
		return int64(n) * (8 + 4*int64(k))
	}
	return int64(n) * (8 + 12*int64(k))
}

// BreadthFirst returns the samples in breadth-first order from sample 0 along the lists, nearest first
// (Cuthill and McKee 1969, without their degrees), so samples that list each other are near each other
// in it. A sample that no list reaches follows the first of its own neighbours in the order. The
// order depends only on the lists. O(nk).
func (g *Graph) BreadthFirst() []int {
	n := g.Len()
	order := make([]int, 0, n)
	met := make([]bool, n)
	for first, next := 0, 0; len(order) < n; first++ {
		if met[first] {
			continue
		}
		met[first] = true
		order = append(order, first)
		for ; next < len(order); next++ {
			for _, j := range g.Of(order[next]) {
				if !met[j] {
					met[j] = true
					order = append(order, int(j))
				}
			}
		}
	}
	return order
}

// Validate checks a graph made by the caller: lists within the arrays, existing neighbours, each
// listed once and different from the sample itself, and finite distances ≥ 0 in ascending
// order. Errors name the list. O(nnz) and 4n bytes.
func (g *Graph) Validate() error {
	n := len(g.Ptr) - 1
	switch {
	case n < 0 || g.Ptr[0] != 0:
		return fmt.Errorf("graph: Ptr does not begin with 0; give the start of every list, and the end of the last")
	case g.Ptr[n] != len(g.Index) || len(g.Dist) != len(g.Index):
		return fmt.Errorf("graph: %d neighbours and %d distances, but Ptr ends at %d; give as many of each", len(g.Index), len(g.Dist), g.Ptr[n])
	}
	last := make([]int32, n) // the list, counting from 1, that named each sample last
	for i := range n {
		if g.Ptr[i+1] < g.Ptr[i] || g.Ptr[i+1] > len(g.Index) {
			return fmt.Errorf("graph: list %d (counting from 1) ends at %d, before it begins at %d; Ptr must ascend", i+1, g.Ptr[i+1], g.Ptr[i])
		}
		before := 0.0
		for a, j := range g.Of(i) {
			d := g.Distances(i)[a]
			switch {
			case j < 0 || int(j) >= n:
				return fmt.Errorf("graph: list %d (counting from 1) has sample %d of %d; indices count from 0", i+1, j, n)
			case int(j) == i:
				return fmt.Errorf("graph: list %d (counting from 1) has the sample itself; leave it out", i+1)
			case last[j] == int32(i+1):
				return fmt.Errorf("graph: list %d (counting from 1) has sample %d (from 0) twice; list each neighbour once", i+1, j)
			case !(d >= 0) || math.IsInf(d, 1):
				return fmt.Errorf("graph: list %d (counting from 1): the distance to sample %d (from 0) is %v; give finite numbers ≥ 0", i+1, j, d)
			case d < before:
				return fmt.Errorf("graph: list %d (counting from 1): the distances do not ascend (%v after %v); list the nearest first (FromMatrix and FromLists do)", i+1, d, before)
			}
			last[j], before = int32(i+1), d
		}
	}
	return nil
}

// ScaledDown returns the graph with distances divided by 2^exponent, and without weights. It
// shares the lists.
func (g *Graph) ScaledDown(exponent int) *Graph {
	same := &Graph{Ptr: g.Ptr, Index: g.Index, Dist: g.Dist}
	if exponent != 0 {
		same.Dist = make([]float64, len(g.Dist))
		for q, d := range g.Dist {
			same.Dist[q] = math.Ldexp(d, -exponent)
		}
	}
	return same
}

// Over is [Graph.ScaledDown].
//
// Deprecated: use [Graph.ScaledDown].
func (g *Graph) Over(exponent int) *Graph { return g.ScaledDown(exponent) }
