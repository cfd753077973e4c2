package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// narrow is the ratio of the edges at a neck to the median of those on either side, under
	// which the data hangs together by it.
	narrow = 0.25
	// A cell has at least so many samples but for the smallest data, which has leastCells.
	cellSize, leastCells = 16, 64
)

// neck tells whether the neighbour graph has two large parts with few edges between them.
// The samples are gathered in cells around the centres, by steps of the graph; the cells
// are ordered by the second eigenvector of the normalised Laplacian of their graph (Fiedler
// 1973), and the edges across each place of the order are counted.
func neck(c Case) (string, error) {
	if c.Exceeds(graphBytes(c.Graph)) {
		return "", nil
	}
	n := c.Graph.Len()
	some := quality.Spread(n, max(leastCells, min(mostCenters, n/cellSize)))
	if n < leastCells {
		return "", nil
	}
	cell := cells(c.Graph, some)
	weights, sizes := coarse(c.Graph, cell, len(some))
	order, err := fiedler(c, weights)
	if err != nil || order == nil {
		return "", err
	}
	ratio, edges, left := narrowest(weights, sizes, order)
	if ratio > narrow {
		return "", nil
	}
	return fmt.Sprintf("the neighbour graph is in two parts of %d and %d samples with %s between them, %.2g of what is usual within each: take more neighbours to join them, or embed each on its own", max(left, n-left), min(left, n-left), edgesOf(edges), ratio), nil
}

// edgesOf words a number of edges.
func edgesOf(count int) string {
	if count == 1 {
		return "1 edge"
	}
	return fmt.Sprintf("%d edges", count)
}

// graphBytes is the memory of the reverse lists and of the cells.
func graphBytes(g *neighbors.Graph) int64 { return 4*int64(len(g.Index)) + 24*int64(g.Len()) }

// cells gathers the samples around the centres, by breadth first in the union graph. Of the
// centres at the same number of steps the first takes a sample.
func cells(g *neighbors.Graph, some []int) []int32 {
	n := g.Len()
	ptr, reverse := make([]int, n+1), make([]int32, len(g.Index))
	for _, j := range g.Index {
		ptr[j+1]++
	}
	for i := range n {
		ptr[i+1] += ptr[i]
	}
	next := slices.Clone(ptr[:n])
	for i := range n {
		for _, j := range g.Of(i) {
			reverse[next[j]] = int32(i)
			next[j]++
		}
	}
	cell, queue := make([]int32, n), make([]int32, 0, n)
	for i := range cell {
		cell[i] = -1
	}
	for c, i := range some {
		cell[i] = int32(c)
		queue = append(queue, int32(i))
	}
	for at := 0; at < len(queue); at++ {
		i := int(queue[at])
		for _, list := range [][]int32{g.Of(i), reverse[ptr[i]:ptr[i+1]]} {
			for _, j := range list {
				if cell[j] < 0 {
					cell[j] = cell[i]
					queue = append(queue, j)
				}
			}
		}
	}
	return cell
}

// coarse counts the list entries between cells, both ways added, and the samples of each.
// Samples that no centre reaches are in no cell.
func coarse(g *neighbors.Graph, cell []int32, count int) (*sparse.CSR, []int) {
	sizes := make([]int, count)
	var between []sparse.Triplet
	for i := range g.Len() {
		if cell[i] < 0 {
			continue
		}
		sizes[cell[i]]++
		for _, j := range g.Of(i) {
			if a, b := int(cell[i]), int(cell[j]); b >= 0 && a != b {
				between = append(between, sparse.Triplet{Row: a, Col: b, Val: 1}, sparse.Triplet{Row: b, Col: a, Val: 1})
			}
		}
	}
	weights, _ := sparse.FromTriplets(count, count, between) // indices are within
	return weights, sizes
}

// fiedler orders the cells by the second eigenvector; nil where they fall apart.
func fiedler(c Case, weights *sparse.CSR) ([]int, error) {
	n := weights.Rows
	null, entries := make([]float64, n), make([]sparse.Triplet, 0, weights.NNZ()+n)
	var total float64
	for i := range n {
		_, vals := weights.Row(i)
		for _, v := range vals {
			null[i] += v
		}
		if null[i] == 0 {
			return nil, nil
		}
		total += null[i]
	}
	for i := range n {
		cols, vals := weights.Row(i)
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 1})
		for q, j := range cols {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: -vals[q] / math.Sqrt(null[i]*null[j])})
		}
	}
	laplacian, err := sparse.FromTriplets(n, n, entries)
	if err != nil {
		return nil, err
	}
	degree := slices.Clone(null)
	for i := range null {
		null[i] = math.Sqrt(null[i] / total)
	}
	e, err := solvers.Smallest(c.Context(), laplacian, [][]float64{null}, 1, solvers.Options{
		Kernels: c.Kernels(), Threads: c.Threads(), Seed: c.Seed(), Laplacian: true, Columns: c.X.M(), Bound: 2, Trusted: true,
	})
	if err != nil {
		return nil, err
	}
	place := e.Vectors[0]
	for i := range place {
		place[i] /= math.Sqrt(degree[i])
	}
	order := indices(n)
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a, b)) })
	return order, nil
}

// narrowest finds the place of the order whose edges are the fewest for the median of them
// on either side of it, and counts the samples before it.
func narrowest(weights *sparse.CSR, sizes, order []int) (ratio float64, edges, left int) {
	cut := cuts(weights, order)
	ahead, behind := runningMedians(cut), slices.Clone(cut)
	slices.Reverse(behind)
	behind = runningMedians(behind)
	slices.Reverse(behind)
	ratio = math.Inf(1)
	samples := 0
	for at := range len(cut) - 1 {
		samples += sizes[order[at]]
		if r := cut[at] / min(ahead[at], behind[at+1]); r < ratio {
			ratio, edges, left = r, int(cut[at]), samples
		}
	}
	return ratio, edges, left
}

// cuts counts the edges across each place of an order, behind its first cell and so on.
func cuts(weights *sparse.CSR, order []int) []float64 {
	cut, before := make([]float64, len(order)-1), make([]bool, len(order))
	var across float64
	for at, i := range order[:len(order)-1] {
		cols, vals := weights.Row(i)
		for q, j := range cols {
			if before[j] {
				across -= vals[q]
			} else {
				across += vals[q]
			}
		}
		before[i] = true
		cut[at] = across
	}
	return cut
}

// runningMedians are the lower medians of the values up to each.
func runningMedians(values []float64) []float64 {
	sorted, medians := make([]float64, 0, len(values)), make([]float64, len(values))
	for at, v := range values {
		place, _ := slices.BinarySearch(sorted, v)
		sorted = slices.Insert(sorted, place, v)
		medians[at] = sorted[at/2]
	}
	return medians
}
