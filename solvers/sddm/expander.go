package sddm

import (
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

const (
	// expanderHubs is the number of vertices without which an expander is still in one piece. A graph that no such number of vertices divides into pieces of two
	// thirds at most has a clique as large in its factor (Robertson and Seymour 1986), of 1e12 operations.
	expanderHubs = 14500
	// ExpanderRows is the order from which [Preconditioner.Fills] is known: the analysis of a smaller matrix takes a second or two.
	ExpanderRows = 5 * expanderHubs
)

// Fills reports whether the Cholesky factor of A takes more than 1e12 operations, as two quick tests have it: A is the Laplacian of a graph of at least [ExpanderRows] vertices, for
// which the diagonal is enough, so that its parts hang together everywhere, and which is in one piece without its hubs. That is so of social networks, whose symbolic
// factorisation takes half a minute for a million vertices until it is seen. False says nothing.
func (p *Preconditioner) Fills(a *sparse.CSR) bool {
	laplacian := p.dominant != nil && len(p.dominant.singular) == p.dominant.count
	return a.Rows >= ExpanderRows && p.factor == nil && laplacian && heldTogether(a)
}

// heldTogether reports whether one component has more than two thirds of the vertices of the graph of a matrix without its hubs.
func heldTogether(a *sparse.CSR) bool {
	hub := hubs(a, expanderHubs)
	sets, largest := sparse.NewDisjoint(a.Rows), 0
	for i := range a.Rows {
		if hub[i] {
			continue
		}
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if int(j) >= i {
				break
			}
			if !hub[j] {
				sets.Connect(int32(i), j)
			}
		}
		largest = max(largest, sets.Size(sets.Find(int32(i))))
	}
	return 3*largest > 2*a.Rows
}

// hubs marks the rows with the most entries, the first among equals.
func hubs(a *sparse.CSR, count int) []bool {
	entries := make([]int, a.Rows)
	for i := range entries {
		entries[i] = a.Ptr[i+1] - a.Ptr[i]
	}
	sorted := slices.Sorted(slices.Values(entries))
	least := sorted[a.Rows-count]
	above, _ := slices.BinarySearch(sorted, least+1)
	ties := count - (a.Rows - above)
	hub := make([]bool, a.Rows)
	for i, e := range entries {
		if hub[i] = e > least; e == least && ties > 0 {
			hub[i] = true
			ties--
		}
	}
	return hub
}
