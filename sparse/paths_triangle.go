package sparse

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// pathTriangle is a graph after the elimination of all its vertices in order:
// vertex j has an arc to row[p] > j, of the given length, for ptr[j] ≤ p <
// ptr[j+1], such that every shortest path has the length of one that first climbs
// and then descends along arcs.
type pathTriangle struct {
	ptr    []int
	row    []int32
	length []float64
}

// eliminatePaths finds the arcs row by row, as an up-looking Cholesky
// factorisation does, with minimum for sum and sum for product. About flops/2
// updates.
func eliminatePaths(ctx context.Context, a *CSR, e *elimination) (*pathTriangle, error) {
	n := len(e.perm)
	t := &pathTriangle{ptr: make([]int, n+1)}
	for j, c := range e.count {
		t.ptr[j+1] = t.ptr[j] + int(c) - 1 // without the diagonal
	}
	t.row, t.length = make([]int32, t.ptr[n]), make([]float64, t.ptr[n])
	end := append([]int(nil), t.ptr[:n]...)
	x := make([]float64, n) // the row under way
	seen := make([]int32, n)
	for j := range x {
		x[j], seen[j] = math.Inf(1), none
	}
	stack, path := make([]int32, n), make([]int32, 0, n)
	for i := range int32(n) {
		if i%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		// The columns that row i reaches: the paths up the tree from its entries, so
		// stacked that descendants come before their ancestors.
		seen[i] = i
		top := n
		cols, vals := a.Row(int(e.perm[i]))
		for p, c := range cols {
			j := e.place[c]
			if j >= i {
				continue
			}
			x[j] = min(x[j], vals[p])
			for path = path[:0]; seen[j] != i; j = e.parent[j] {
				path, seen[j] = append(path, j), i
			}
			top -= len(path)
			copy(stack[top:], path)
		}
		for _, j := range stack[top:] {
			length := x[j]
			x[j] = math.Inf(1)
			for p := t.ptr[j]; p < end[j]; p++ {
				if v := length + t.length[p]; v < x[t.row[p]] {
					x[t.row[p]] = v
				}
			}
			t.row[end[j]], t.length[end[j]] = i, length
			end[j]++
		}
	}
	return t, nil
}

// substitute takes the lengths that searches begin with, +Inf elsewhere, to
// those of the shortest paths, for the vertices from least on: up along the arcs
// from what is reached, then down.
func (t *pathTriangle) substitute(s *pathSearch, least int) {
	const lanes = blas.PathLanes
	for j, reached := range s.reached {
		if !reached {
			continue
		}
		s.reached[j] = false
		rows := t.row[t.ptr[j]:t.ptr[j+1]]
		blas.ShortenScatter(rows, t.length[t.ptr[j]:], s.length[j*lanes:(j+1)*lanes], s.length)
		for _, i := range rows {
			s.reached[i] = true
		}
	}
	for j := len(s.reached) - 1; j >= least; j-- {
		blas.ShortenGather(t.row[t.ptr[j]:t.ptr[j+1]], t.length[t.ptr[j]:], s.length, s.length[j*lanes:(j+1)*lanes])
	}
}
