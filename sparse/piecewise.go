package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// minimumDegreeInPieces is an order of elimination by approximate minimum degree within the
// pieces of the given size that separators leave ([cutUp]), each separator after what it
// parts. Pieces are ordered in parallel, the rows of separators beside them counting for the
// degrees (Liu 1989). It is nil where there is one piece alone: the pattern is small, or has no thin
// separators. The order does not depend on the number of threads.
func minimumDegreeInPieces(ctx context.Context, a *CSR, threads, size int) ([]int32, error) {
	threads = blas.Threads(threads)
	p := cutUp(ctx, a, threads, size)
	if p.count == 1 {
		return nil, ctx.Err()
	}
	orders := make([][]int32, p.count)
	scratch := make([]pieceOrder, threads)
	err := blas.For(ctx, threads, p.count, 1, func(w, k, _ int) {
		orders[k] = scratch[w].order(ctx, p, k)
	})
	if err != nil {
		return nil, err
	}
	separators := make([][]int32, len(p.cuts))
	for i, k := range p.within {
		if k != none {
			separators[k] = append(separators[k], int32(i))
		}
	}
	perm := make([]int32, 0, a.Rows)
	next := 0
	for k, c := range p.cuts {
		for ; next < int(c.hi); next++ {
			perm = append(perm, orders[next]...)
		}
		perm = append(perm, separators[k]...)
	}
	return perm, ctx.Err()
}

// pieceOrder is the scratch space in which one piece is ordered.
type pieceOrder struct {
	place []int32 // of a row in the pattern at hand
}

// order orders the rows inside piece k. The context's error shows elsewhere.
func (s *pieceOrder) order(ctx context.Context, p *pieces, k int) []int32 {
	local, rows, inside := s.pattern(p, k)
	order, err := innerMinimumDegree(ctx, local, inside)
	if err != nil {
		return nil
	}
	for at, q := range order {
		order[at] = rows[q]
	}
	return order
}

// pattern is that of the rows inside piece k, which come first, and of the rows of separators
// beside them. Entries between the latter are left out: whatever the order, they are there.
func (s *pieceOrder) pattern(p *pieces, k int) (local *CSR, rows []int32, inside int) {
	a := p.a
	if s.place == nil {
		s.place = pages.Make[int32](a.Rows)
		for i := range s.place {
			s.place[i] = none
		}
	}
	for _, i := range p.byRow[p.start[k]:p.start[k+1]] {
		if p.within[i] == none {
			s.place[i] = int32(len(rows))
			rows = append(rows, i)
		}
	}
	inside = len(rows)
	own := rows
	local = &CSR{Ptr: make([]int, 1, inside+1)}
	beside := [][]int32{} // the columns of the rows of separators
	for q, i := range own {
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if s.place[j] == none {
				s.place[j] = int32(len(rows))
				rows, beside = append(rows, j), append(beside, nil)
			}
			r := s.place[j]
			local.Col = append(local.Col, r)
			if int(r) >= inside {
				beside[int(r)-inside] = append(beside[int(r)-inside], int32(q))
			}
		}
		local.Ptr = append(local.Ptr, len(local.Col))
	}
	for _, columns := range beside {
		local.Col = append(local.Col, columns...)
		local.Ptr = append(local.Ptr, len(local.Col))
	}
	for _, i := range rows {
		s.place[i] = none
	}
	local.Rows, local.Cols = len(rows), len(rows)
	return local, rows, inside
}
