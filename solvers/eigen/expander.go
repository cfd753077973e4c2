package eigen

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// expanderHubs is the number of vertices without which an expander is still in one piece. A graph of which no so many vertices leave pieces of two
	// thirds at most has a clique as large in its factor (Robertson and Seymour 1986), of [fills] operations.
	expanderHubs = 14500
	// expanderRows is the order from which it is worth knowing: the analysis of a smaller matrix takes a second or two.
	expanderRows = 5 * expanderHubs
)

// expands reports whether the matrix is the Laplacian of an expander, whose factor fills, as two quick tests have it: the diagonal alone
// preconditions it, and without its hubs it is in one piece. Analysing a social network of a million vertices until it is seen to fill takes half a minute.
func (p *problem) expands(ctx context.Context) (bool, error) {
	if p.a.Rows < expanderRows || p.sigma > 0 || !heldTogether(p.a) {
		return false, nil
	}
	m, err := sddm.NewPreconditioner(ctx, p.a, p.scales(), sddm.Options{Preconditioner: sddm.Diagonal, Seed: p.Seed, Threads: p.Threads, Memory: p.Memory})
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return false, nil // a problem for those who need the preconditioner
	}
	if !m.Laplacian() {
		return false, nil
	}
	p.byDiagonal = m
	return true, nil
}

// heldTogether reports whether one component has more than two thirds of the vertices of the graph of a matrix without its hubs.
func heldTogether(a *sparse.CSR) bool {
	hub := hubs(a, expanderHubs)
	sets, largest := sparse.NewDisjoint(a.Rows), 0
	for i := range a.Rows {
		if hub[i] {
			continue
		}
		root := sets.Find(int32(i))
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if int(j) >= i {
				break
			}
			if hub[j] {
				continue
			}
			if other := sets.Find(j); other != root {
				root = sets.Join(root, other)
			}
		}
		largest = max(largest, sets.Size(root))
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
