package sparse

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// PathOptions are the options of [ShortestPaths]. The zero value uses all cores and any
// memory.
type PathOptions struct {
	Threads int   // 0: all cores; the number changes no bit
	Memory  int64 // bytes that the search may take, the result included; 0: no limit
}

// ShortestPaths returns the lengths of the shortest paths from sources, a row each, to
// all n vertices of an undirected graph; sources nil: from all, n × n. A vertex that no
// path reaches is at +Inf.
//
// The graph is a square sparse matrix of any type that [Of] takes, whose stored entries
// are the lengths of edges: finite and not negative, and a stored zero is an edge of
// length zero. An edge may be stored in either direction or in both; where the two
// differ, the shorter counts. The diagonal is of no consequence.
//
// The work is the same as for [Paths]: one elimination and a substitution for each source where
// the graph has few dimensions, otherwise a search by Dijkstra's method for each. Memory is
// 8 bytes for every length, and 8·[blas.PathLanes]·n for each thread.
//
// Errors name the entry or the source that is wrong.
func ShortestPaths(ctx context.Context, graph mat.Matrix, sources []int, o PathOptions) (*mat.Dense, error) {
	a, err := graphOf(graph, "shortest paths")
	if err != nil {
		return nil, err
	}
	n := a.Rows
	if sources == nil {
		sources = make([]int, n)
		for i := range sources {
			sources[i] = i
		}
	}
	if n == 0 || len(sources) == 0 {
		return nil, fmt.Errorf("sparse: shortest paths: %d sources in a graph of %d vertices; give at least one of each", len(sources), n)
	}
	for q, s := range sources {
		if s < 0 || s >= n {
			return nil, fmt.Errorf("sparse: shortest paths: source %d (counting from 0) is vertex %d of a graph of %d; give numbers from 0 to %d", q, s, n, n-1)
		}
	}
	for i := range n {
		cols, lengths := a.Row(i)
		for p, v := range lengths {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("sparse: shortest paths: the edge from %d to %d (counting from 0) has length %v; lengths are finite and not negative, and no edge is an entry that is not stored", i, cols[p], v)
			}
		}
	}
	need := 8*int64(n)*(int64(len(sources))+blas.PathLanes*int64(blas.Threads(o.Threads))) + 36*int64(len(a.Col))
	if o.Memory > 0 && need > o.Memory {
		return nil, &MemoryError{fmt.Sprintf("the search for shortest paths from %d sources to %d vertices", len(sources), n), need, o.Memory, "give fewer sources"}
	}
	paths, err := NewPaths(ctx, a.undirected(), len(sources))
	if err != nil {
		return nil, err
	}
	if o.Memory > 0 && need+paths.Bytes() > o.Memory {
		return nil, &MemoryError{fmt.Sprintf("the graph prepared for shortest paths from %d sources", len(sources)), need + paths.Bytes(), o.Memory, "give fewer sources"}
	}
	result := mat.NewDense(len(sources), n, nil)
	out, order, place := result.RawMatrix().Data, paths.Order(), paths.Place()
	err = paths.Search(ctx, o.Threads, len(sources), nil,
		func(q int, reach func(v int, length float64)) { reach(int(place[sources[q]]), 0) },
		func(_, lo, hi int, length []float64) {
			for q := lo; q < hi; q++ {
				row := out[q*n : q*n+n]
				for v, i := range order {
					row[i] = length[v*blas.PathLanes+q-lo]
				}
			}
		})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// undirected returns the graph with every edge in both directions, at the shorter of the
// two lengths; a itself where it is so.
func (a *CSR) undirected() *CSR {
	t := a.Transposed()
	same := true
	entries := 0
	eachPlace(a, t, math.Inf(1), func(_ int, _ int32, v, w float64) {
		same = same && v == w
		entries++
	})
	if same {
		return a
	}
	u := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	eachPlace(a, t, math.Inf(1), func(i int, j int32, v, w float64) {
		for len(u.Ptr) <= i {
			u.Ptr = append(u.Ptr, len(u.Col))
		}
		u.Col, u.Val = append(u.Col, j), append(u.Val, min(v, w))
	})
	for len(u.Ptr) <= a.Rows {
		u.Ptr = append(u.Ptr, len(u.Col))
	}
	return u
}
