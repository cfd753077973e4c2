package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// narrow is the ratio of the edges at a neck and the median of those on either side, below
	// which the neck is all that connects two parts of the data.
	narrow = 0.25
	// A cell has at least cellSize samples, except in small data, which have minCells cells.
	cellSize, minCells = 16, 64
)

// neck reports whether the neighbour graph has two large parts with few edges between them.
// It assigns the samples to cells around centres, by steps in the graph, orders the cells
// by the second eigenvector of the normalised Laplacian of their graph (Fiedler
// 1973), and counts the edges across each place of the order.
func neck(c Case) (cause, error) {
	n := c.Graph.Len()
	if n < minCells || c.Exceeds(gatheringBytes(c.Graph)) {
		return cause{}, nil
	}
	some := quality.Spread(n, max(minCells, min(maxCenters, n/cellSize)))
	both := bothWays(c.Graph)
	cell := both.cells(some)
	members, sizes := cellMembers(cell, len(some))
	pairs := both.between(cell, members, sizes, nil)
	matrix := 12*int64(pairs) + 8*int64(len(some)+1)
	if c.Exceeds(gatheringBytes(c.Graph) + matrix) {
		return cause{}, nil
	}
	weights := both.weights(cell, members, sizes, pairs)
	order, err := fiedler(c, weights, matrix)
	if err != nil || order == nil {
		return cause{}, err
	}
	ratio, edges, left := narrowest(weights, sizes, order)
	if ratio > narrow {
		return cause{}, nil
	}
	return cause{text: fmt.Sprintf("the neighbour graph is in two parts of %d and %d samples with %s between them, %.2g of what is usual within each: embed each on its own", max(left, n-left), min(left, n-left), edgesOf(edges), ratio),
		advice: "or take more neighbours to join them", tries: c.more(), seen: true}, nil
}

// edgesOf formats a number of edges.
func edgesOf(count int) string {
	if count == 1 {
		return "1 edge"
	}
	return fmt.Sprintf("%d edges", count)
}

// fiedler orders the cells by the second eigenvector; nil: the cells are disconnected, or the limit of
// memory does not allow it. held is the memory of the weights.
func fiedler(c Case, weights *sparse.CSR, held int64) ([]int, error) {
	n := weights.Rows
	job := c.Holding(2*held + 12*int64(n))
	degree := make([]float64, n)
	var total float64
	for i := range n {
		_, vals := weights.Row(i)
		for _, v := range vals {
			degree[i] += v
		}
		if degree[i] == 0 {
			return nil, nil
		}
		total += degree[i]
	}
	null := make([]float64, n)
	for i := range null {
		null[i] = math.Sqrt(degree[i] / total)
	}
	e, err := eigen.Smallest(c.Context(), normalized(weights, degree), [][]float64{null}, 1, eigen.Options{
		Kernels: c.Kernels(), Threads: c.Threads(), Seed: c.Seed(), Laplacian: true, Columns: c.X.M(), Bound: 2, Trusted: true,
		Memory: job.Remaining(), Planned: func(plan eigen.Plan) { job.Exceeds(plan.Bytes) },
	})
	if run.IsMemory(err) {
		return nil, nil
	}
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

// normalized returns the Laplacian I − D^−½WD^−½ of weights W without a diagonal, D their sums.
func normalized(weights *sparse.CSR, degree []float64) *sparse.CSR {
	n := weights.Rows
	l := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, 0, weights.NNZ()+n), Val: make([]float64, 0, weights.NNZ()+n)}
	add := func(j int32, v float64) { l.Col, l.Val = append(l.Col, j), append(l.Val, v) }
	for i := range n {
		cols, vals := weights.Row(i)
		at, _ := slices.BinarySearch(cols, int32(i))
		for q, j := range cols {
			if q == at {
				add(int32(i), 1)
			}
			add(j, -vals[q]/math.Sqrt(degree[i]*degree[j]))
		}
		if at == len(cols) {
			add(int32(i), 1)
		}
		l.Ptr[i+1] = len(l.Col)
	}
	return l
}

// narrowest finds the place of the order with the smallest ratio of its edges and their median
// on either side, and counts the samples before it.
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

// cuts counts the edges across each place of an order: after its first cell and so on.
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

// runningMedians returns the lower median of the values up to each.
func runningMedians(values []float64) []float64 {
	sorted, medians := make([]float64, 0, len(values)), make([]float64, len(values))
	for at, v := range values {
		place, _ := slices.BinarySearch(sorted, v)
		sorted = slices.Insert(sorted, place, v)
		medians[at] = sorted[at/2]
	}
	return medians
}

// gatheringBytes returns the memory of the reverse lists, the cells and their members.
func gatheringBytes(g *neighbors.Graph) int64 { return 4*int64(len(g.Index)) + 28*int64(g.Len()) }

// union is a graph with its lists and the reverse lists: for each sample, the samples that list it.
type union struct {
	*neighbors.Graph
	ptr     []int
	reverse []int32
}

func bothWays(g *neighbors.Graph) union {
	n := g.Len()
	u := union{g, make([]int, n+1), make([]int32, len(g.Index))}
	for _, j := range g.Index {
		u.ptr[j+1]++
	}
	for i := range n {
		u.ptr[i+1] += u.ptr[i]
	}
	next := slices.Clone(u.ptr[:n])
	for i := range n {
		for _, j := range g.Of(i) {
			u.reverse[next[j]] = int32(i)
			next[j]++
		}
	}
	return u
}

// lists returns the samples that sample i lists, and those that list it.
func (u union) lists(i int) [2][]int32 {
	return [2][]int32{u.Of(i), u.reverse[u.ptr[i]:u.ptr[i+1]]}
}

// cells assigns the samples to the nearest centre by breadth-first search, ties to the first
// centre. Samples that no centre reaches have −1.
func (u union) cells(some []int) []int32 {
	n := u.Len()
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
		for _, list := range u.lists(i) {
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

// cellMembers lists the members of the cells, cell by cell, and their number in each.
func cellMembers(cell []int32, count int) (members []int32, sizes []int) {
	sizes = make([]int, count)
	total := 0
	for _, c := range cell {
		if c >= 0 {
			sizes[c]++
			total++
		}
	}
	next := make([]int, count)
	for c := range count - 1 {
		next[c+1] = next[c] + sizes[c]
	}
	members = make([]int32, total)
	for i, c := range cell {
		if c >= 0 {
			members[next[c]] = int32(i)
			next[c]++
		}
	}
	return members, sizes
}

// between counts the edges between each two cells, from the lists in both directions, and returns the
// number of pairs with any. The counts are written to a symmetric matrix, unless that is nil.
// O(Nk).
func (u union) between(cell, members []int32, sizes []int, into *sparse.CSR) (pairs int) {
	entries, reached := make([]int, len(sizes)), make([]int32, 0, len(sizes))
	for c, size := range sizes {
		for _, i := range members[:size] {
			for _, list := range u.lists(int(i)) {
				for _, j := range list {
					if b := cell[j]; b >= 0 && int(b) != c {
						if entries[b] == 0 {
							reached = append(reached, b)
						}
						entries[b]++
					}
				}
			}
		}
		members = members[size:]
		if into != nil {
			slices.Sort(reached)
			for _, b := range reached {
				into.Col, into.Val = append(into.Col, b), append(into.Val, float64(entries[b]))
			}
			into.Ptr[c+1] = len(into.Col)
		}
		for _, b := range reached {
			entries[b] = 0
		}
		pairs += len(reached)
		reached = reached[:0]
	}
	return pairs
}

// weights returns the matrix of [union.between], for the given number of pairs.
func (u union) weights(cell, members []int32, sizes []int, pairs int) *sparse.CSR {
	n := len(sizes)
	w := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, 0, pairs), Val: make([]float64, 0, pairs)}
	u.between(cell, members, sizes, w)
	return w
}
