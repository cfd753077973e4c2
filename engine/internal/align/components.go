package align

import (
	"slices"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// Joined is the graph of the entries of Φ that are not zero.
func Joined(phi *sparse.CSR) *neighbors.Graph {
	n := phi.Rows
	g := &neighbors.Graph{Ptr: make([]int, 1, n+1), Index: make([]int32, 0, phi.NNZ())}
	for i := range n {
		cols, vals := phi.Row(i)
		for q, j := range cols {
			if vals[q] != 0 {
				g.Index = append(g.Index, j)
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	return g
}

// Descending sorts the sizes of components, the largest first.
func Descending(sizes []int) []int {
	return slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return b - a })
}
