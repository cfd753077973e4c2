package neighbors

import (
	"fmt"
	"math"
)

// Validate checks a graph that the caller made: lists that lie in the arrays, neighbours
// that exist and are listed once, none of them the sample itself, and finite distances
// ≥ 0 that ascend. Errors name the list. O(nnz) and 4n bytes.
func (g *Graph) Validate() error {
	n := len(g.Ptr) - 1
	switch {
	case n < 0 || g.Ptr[0] != 0:
		return fmt.Errorf("graph: Ptr begins with no 0; give the place of every list, and the end of the last")
	case g.Ptr[n] != len(g.Index) || len(g.Dist) != len(g.Index):
		return fmt.Errorf("graph: %d neighbours and %d distances where Ptr ends at %d; give as many of each", len(g.Index), len(g.Dist), g.Ptr[n])
	}
	last := make([]int32, n) // the list, counting from 1, that named each sample last
	for i := range n {
		if g.Ptr[i+1] < g.Ptr[i] || g.Ptr[i+1] > len(g.Index) {
			return fmt.Errorf("graph: list %d (counting from 1) ends at %d before it begins at %d; Ptr has to ascend", i+1, g.Ptr[i+1], g.Ptr[i])
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

// Over returns the graph with distances divided by 2^exponent, and without weights. It
// shares what does not change.
func (g *Graph) Over(exponent int) *Graph {
	same := &Graph{Ptr: g.Ptr, Index: g.Index, Dist: g.Dist}
	if exponent != 0 {
		same.Dist = make([]float64, len(g.Dist))
		for q, d := range g.Dist {
			same.Dist[q] = math.Ldexp(d, -exponent)
		}
	}
	return same
}
