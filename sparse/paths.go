package sparse

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Paths finds the lengths of shortest paths in one undirected graph, for any
// number of searches. It renumbers the vertices once; whatever it takes and
// returns counts them in that order, so that the caller may keep what he collects
// in it and go back at the end.
//
// There are two ways, with the same results up to rounding. Where elimination
// in the new order leaves few arcs, as on graphs of low-dimensional data, the
// graph is brought to triangular form once and [blas.PathLanes] searches at a
// time are substituted through it, as through the Cholesky factor of a matrix
// (Carré 1971; Sao, Kannan, Gera and Vuduc 2020). Elsewhere
// as many searches at a time pass on what they have in the order of one of Dijkstra's.
type Paths struct {
	reordering
	triangle *pathTriangle
	graph    *CSR // renumbered; nil where there is a triangle
}

const (
	// What one arc of a triangle takes per search, and what one arc and one vertex
	// of the graph take Dijkstra, in nanoseconds (measured at 5000 vertices with
	// AVX2), beside an update of the elimination.
	arcCost, edgeCost, vertexCost, eliminateCost = 0.2, 1.6, 100, 1.0
)

// NewPaths prepares the graph of a, whose entries are the lengths of its edges:
// a must be symmetric, both triangles stored, with no entry negative, NaN or
// infinite; the diagonal is of no consequence. searches is the number that is
// going to be asked for, by which the way is chosen. The error is about that or
// the context's.
func NewPaths(ctx context.Context, a *CSR, searches int) (*Paths, error) {
	return NewPathsWithin(ctx, a, searches, nil)
}

// NewPathsWithin is [NewPaths] that asks before it takes the bytes of the prepared graph whether
// there is room for them, and returns the error of fit; nil: there is.
func NewPathsWithin(ctx context.Context, a *CSR, searches int, fit func(bytes int64) error) (*Paths, error) {
	if err := checkSymmetric(a); err != nil {
		return nil, fmt.Errorf("sparse: shortest paths: %w", err)
	}
	for i := range a.Rows {
		cols, lengths := a.Row(i)
		for p, v := range lengths {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("sparse: shortest paths: the edge from %d to %d has length %v; lengths are finite and not negative", i, cols[p], v)
			}
		}
	}
	perm, err := minimumDegree(ctx, a)
	if err != nil {
		return nil, err
	}
	e := eliminate(a, perm, ByMinimumDegree)
	p := &Paths{reordering: e.reordering}
	each := float64(searches)
	eliminated := e.flops*eliminateCost/2+each*float64(e.entries)*arcCost < each*(float64(len(a.Col))*edgeCost+float64(a.Rows)*vertexCost)
	bytes := 12 * int64(len(a.Col))
	if eliminated {
		bytes = 12 * e.entries
	}
	if fit != nil {
		if err := fit(bytes); err != nil {
			return nil, err
		}
	}
	if eliminated {
		p.triangle, err = eliminatePaths(ctx, a, e)
	} else {
		// Searches side by side set out from vertices next to each other in the order.
		p.reordering = newReordering(a.breadthFirst())
		p.graph = a.permuted(p.reordering)
	}
	return p, err
}

// breadthFirst returns the rows in the order in which they are met from row 0 on, then
// from the first that was not met, by way of the entries.
func (a *CSR) breadthFirst() []int32 {
	order, met := make([]int32, 0, a.Rows), make([]bool, a.Rows)
	for first, next := 0, 0; first < a.Rows; first++ {
		if met[first] {
			continue
		}
		met[first] = true
		for order = append(order, int32(first)); next < len(order); next++ {
			cols, _ := a.Row(int(order[next]))
			for _, j := range cols {
				if !met[j] {
					met[j] = true
					order = append(order, j)
				}
			}
		}
	}
	return order
}

// permuted returns the matrix with rows and columns in the new order.
func (a *CSR) permuted(r reordering) *CSR {
	b := &CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, len(a.Col)), Val: make([]float64, 0, len(a.Val))}
	for _, i := range r.perm {
		cols, vals := a.Row(int(i))
		for p, j := range cols {
			b.Col, b.Val = append(b.Col, r.place[j]), append(b.Val, vals[p])
		}
		b.Ptr = append(b.Ptr, len(b.Col))
	}
	return b
}

// Order returns the vertices in the order in which the lengths come: Order()[v]
// is the index in the matrix of vertex v. It must not be changed.
func (p *Paths) Order() []int32 { return p.perm }

// Place returns the number of every index of the matrix in that order.
func (p *Paths) Place() []int32 { return p.place }

// Eliminated reports whether the graph was brought to triangular form.
func (p *Paths) Eliminated() bool { return p.triangle != nil }

// Bytes returns the memory that the prepared graph holds.
func (p *Paths) Bytes() int64 {
	if p.triangle != nil {
		return 12 * int64(len(p.triangle.row))
	}
	return 12 * int64(len(p.graph.Col))
}

// Search runs count searches and hands over the lengths of the shortest paths,
// blas.PathLanes searches at a time. start puts search q on its way: it calls
// reach for every vertex from which the search sets out, with the length that is
// behind it there (0 for an ordinary source); vertices are in the order of
// [Paths.Order]. done receives the lengths of the searches lo ≤ q < hi to the
// vertices v ≥ least(lo): that to vertex v is length[v·blas.PathLanes + q − lo],
// +Inf where there is no path; least nil: to all vertices. What lies under
// least(lo) is not defined, and the slice is the worker's scratch, which done may
// write to.
//
// Both functions are called from any goroutine; worker tells them apart and is
// less than threads (0: all cores). The number of threads changes no bit.
func (p *Paths) Search(ctx context.Context, threads, count int, least func(lo int) int,
	start func(q int, reach func(v int, length float64)), done func(worker, lo, hi int, length []float64)) error {
	n := len(p.perm)
	workers := make([]*pathSearch, blas.Threads(threads))
	return blas.For(ctx, threads, count, blas.PathLanes, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = &pathSearch{length: make([]float64, n*blas.PathLanes), reached: make([]bool, n)}
			if p.graph != nil {
				workers[w].together = newTogether(p.graph)
			}
		}
		s := workers[w]
		first := 0
		if least != nil {
			first = least(lo)
		}
		if p.triangle != nil {
			for i := range s.length {
				s.length[i] = math.Inf(1)
			}
			for q := lo; q < hi; q++ {
				start(q, func(v int, length float64) {
					at := v*blas.PathLanes + q - lo
					s.length[at], s.reached[v] = min(s.length[at], length), true
				})
			}
			p.triangle.substitute(s, first)
		} else {
			s.together.search(lo, hi, start, s.length)
		}
		done(w, lo, hi, s.length)
	})
}

// pathSearch is one worker's scratch.
type pathSearch struct {
	length   []float64 // n × lanes
	reached  []bool    // vertices that a search has set out from or climbed to
	together *together
}
