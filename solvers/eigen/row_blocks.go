package eigen

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// RowBlocks is a matrix whose rows are made block by block, each time that they are
// needed: it may be far larger than what is held of it.
type RowBlocks struct {
	Blocks int
	// Worker returns a maker of blocks for one goroutine. What it makes is valid until it
	// is called again.
	Worker func() func(block int) *sparse.CSR
}

// BlocksOf divides a matrix that is there into blocks of this many rows.
func BlocksOf(a *sparse.CSR, rows int) *RowBlocks {
	return &RowBlocks{Blocks: (a.Rows + rows - 1) / rows, Worker: func() func(int) *sparse.CSR {
		return func(block int) *sparse.CSR {
			lo := block * rows
			hi := min(lo+rows, a.Rows)
			first, last := a.Ptr[lo], a.Ptr[hi]
			part := &sparse.CSR{Rows: hi - lo, Cols: a.Cols, Ptr: make([]int, hi-lo+1), Col: a.Col[first:last], Val: a.Val[first:last]}
			for i := range part.Ptr {
				part.Ptr[i] = a.Ptr[lo+i] - first
			}
			return part
		}
	}}
}

// makers are the workers of a run over the blocks.
type makers struct {
	*RowBlocks
	of []func(block int) *sparse.CSR
}

func (b *RowBlocks) makers(threads int) *makers {
	return &makers{b, make([]func(int) *sparse.CSR, blas.Threads(threads))}
}

// each calls do for the blocks from lo to hi.
func (m *makers) each(ctx context.Context, lo, hi int, do func(worker, block int, rows *sparse.CSR)) error {
	return blas.For(ctx, len(m.of), hi-lo, 1, func(worker, from, to int) {
		if m.of[worker] == nil {
			m.of[worker] = m.Worker()
		}
		for b := lo + from; b < lo+to; b++ {
			do(worker, b, m.of[worker](b))
		}
	})
}
