package neighbors

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/sparse"
)

// FromMatrix returns the graph of a square sparse matrix of distances: row i lists the
// neighbours of sample i, any number of them. A stored zero is a distance of zero; entries
// that are not stored are not neighbours. The diagonal is ignored.
// The columns of a row may be in any order: rows with ascending distances keep
// theirs, others are sorted by distance, ties by index. The matrix is copied.
//
// Errors name the entry: a matrix that is not square, columns that are out of range or
// repeated, and distances that are negative or not finite. O(nnz log k).
func FromMatrix(a *sparse.CSR) (*Graph, error) {
	if a == nil {
		return nil, fmt.Errorf("graph: no matrix given; give a sparse matrix of distances")
	}
	if a.Rows != a.Cols {
		return nil, fmt.Errorf("graph: the matrix is %d × %d; give a square one, with a row and a column for each sample", a.Rows, a.Cols)
	}
	if err := a.ValidatePointers(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	b := newListing(a.Rows, a.NNZ())
	last := make([]int32, a.Rows) // for each column, the last row with it, counting from 1
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for p, j := range cols {
			if err := b.add(i, int64(j), vals[p]); err != nil {
				return nil, err
			}
			if last[j] == int32(i+1) {
				return nil, fmt.Errorf("graph: row %d, column %d (counting from 1) is stored twice; store each distance once", i+1, j+1)
			}
			last[j] = int32(i + 1)
		}
		b.end()
	}
	return b.graph, nil
}

// FromLists returns the graph of n × k indices, counting from 0, and their
// distances, both row by row. The sample itself is removed from its list. Lists with
// ascending distances keep their order; others are sorted by distance, ties by index. Both
// slices are copied.
//
// Errors name the row: lengths that do not match, an index that is out of range or
// repeated in a list, and distances that are negative or not finite. O(nk log k).
func FromLists(k int, indices []int64, distances []float64) (*Graph, error) {
	switch {
	case k < 1:
		return nil, fmt.Errorf("graph: %d neighbours for each sample; give at least 1", k)
	case len(indices)%k != 0:
		return nil, fmt.Errorf("graph: %d indices do not form rows of %d; give equally many for each sample", len(indices), k)
	case len(indices) != len(distances):
		return nil, fmt.Errorf("graph: %d distances for %d indices; give one for each", len(distances), len(indices))
	case len(indices)/k > math.MaxInt32:
		return nil, fmt.Errorf("graph: %d samples; give fewer than 2³¹", len(indices)/k)
	}
	b := newListing(len(indices)/k, len(indices))
	seen := make([]int64, 0, k)
	for i := range len(indices) / k {
		row := indices[i*k : (i+1)*k]
		for a, j := range row {
			if err := b.add(i, j, distances[i*k+a]); err != nil {
				return nil, err
			}
		}
		seen = append(seen[:0], row...)
		slices.Sort(seen)
		for a := range k - 1 {
			if seen[a] == seen[a+1] {
				return nil, fmt.Errorf("graph: row %d (counting from 1) lists sample %d (from 0) twice; list each neighbour once", i+1, seen[a])
			}
		}
		b.end()
	}
	return b.graph, nil
}

// listing builds a graph, one list after the other.
type listing struct {
	graph *Graph
	n     int
	list  []listed // of the current sample
}

// listed is an entry of a list.
type listed struct {
	index int32
	dist  float64
}

func newListing(n, entries int) *listing {
	return &listing{n: n, graph: &Graph{Ptr: make([]int, 1, n+1), Index: make([]int32, 0, entries), Dist: make([]float64, 0, entries)}}
}

// add adds a neighbour of sample i, unless it is the sample itself.
func (b *listing) add(i int, j int64, dist float64) error {
	switch {
	case j < 0 || j >= int64(b.n):
		return fmt.Errorf("graph: row %d (counting from 1) lists sample %d of %d; indices count from 0", i+1, j, b.n)
	case !(dist >= 0) || math.IsInf(dist, 1):
		return fmt.Errorf("graph: row %d, column %d (counting from 1): the distance is %v; give finite numbers ≥ 0", i+1, j+1, dist)
	case int(j) != i:
		b.list = append(b.list, listed{int32(j), dist})
	}
	return nil
}

// end ends the list of the current sample. A list with ascending distances keeps its order, because a
// search orders by squares, which may differ when their roots are equal.
func (b *listing) end() {
	if !slices.IsSortedFunc(b.list, func(p, q listed) int { return cmp.Compare(p.dist, q.dist) }) {
		slices.SortFunc(b.list, func(p, q listed) int {
			return cmp.Or(cmp.Compare(p.dist, q.dist), cmp.Compare(p.index, q.index))
		})
	}
	for _, e := range b.list {
		b.graph.Index, b.graph.Dist = append(b.graph.Index, e.index), append(b.graph.Dist, e.dist)
	}
	b.graph.Ptr, b.list = append(b.graph.Ptr, len(b.graph.Index)), b.list[:0]
}

// FromDistances returns the graph of the k nearest neighbours of each sample, other than itself,
// from a full n × n matrix of distances, ties by lower index. k must be in
// [1, n−1]. The matrix must pass [CheckDistances]. O(n²).
func FromDistances(ctx context.Context, d Points, k int, o Options) (*Graph, error) {
	n := d.N
	if d.M != n || k < 1 || k >= n {
		return nil, fmt.Errorf("neighbors: %d neighbours requested of %d × %d distances; give a square matrix and a number from 1 to %d", k, n, d.M, max(n-1, 1))
	}
	g := newGraph(n, k)
	err := blas.For(ctx, o.Threads, n, distanceRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			list, bound := g.list(i), math.Inf(1)
			for j, v := range d.Row(i) {
				if v > bound || j == i {
					continue
				}
				list.offer(v, int32(j))
				if list.full() {
					bound = list.bound()
				}
			}
			list.finish()
		}
	})
	return g, err
}

const (
	// distanceRows is the number of rows of a task over a full matrix.
	distanceRows = 64
	// distanceRounding bounds, relative to the largest distance, the asymmetry of the matrix and its
	// diagonal: these are the rounding errors of a metric computed
	// both ways.
	distanceRounding = 1e-8
)

// CheckDistances returns an error for an invalid full matrix of distances: one that is not square, has
// a negative or nonfinite entry, a nonzero distance from a sample to itself, or two distances of
// one pair that differ by more than 1e-8 of the largest. The error names the entry, counting from
// 1. O(n²).
func CheckDistances(d Points) error { return checkDistances(d, false) }

// CheckKnownDistances is [CheckDistances] for a matrix in which NaN means that a distance is unknown.
func CheckKnownDistances(d Points) error { return checkDistances(d, true) }

func checkDistances(d Points, unknown bool) error {
	n := d.N
	if d.M != n {
		return fmt.Errorf("the distances are %d × %d; give a square matrix, with a row and a column for each sample", n, d.M)
	}
	for at, v := range d.Data {
		if unknown && v != v {
			continue
		}
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("row %d, column %d (counting from 1) of the distances is %v; give finite numbers ≥ 0", at/n+1, at%n+1, v)
		}
	}
	_, largest := magnitude.Largest(d.Data)
	allowed := distanceRounding * largest
	for i := range n {
		if v := d.Row(i)[i]; v > allowed {
			return fmt.Errorf("row %d, column %d (counting from 1) of the distances is %v; give 0 from a sample to itself", i+1, i+1, v)
		}
	}
	for from := 0; from < n; from += distanceRows { // in tiles that fit into the cache
		for to := 0; to <= from; to += distanceRows {
			for i := from; i < min(from+distanceRows, n); i++ {
				row := d.Row(i)
				for j := to; j < min(to+distanceRows, i); j++ {
					if other := d.Data[j*n+i]; math.Abs(row[j]-other) > allowed {
						return fmt.Errorf("the distances are not symmetric: row %d, column %d (counting from 1) is %v and its mirror is %v; give (D + Dᵀ)/2", i+1, j+1, row[j], other)
					}
				}
			}
		}
	}
	return nil
}
