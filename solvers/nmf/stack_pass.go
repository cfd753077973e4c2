package nmf

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// pass updates W of the runs of some panels, where requested, and sums what their
// next steps of H need.
func (s *stack) pass(ctx context.Context, panels []*panel, update bool) error {
	if err := s.passOver(ctx, panels, update); err != nil {
		return err
	}
	var all []*member
	for _, p := range panels {
		for _, m := range p.members {
			if m != nil {
				all = append(all, m)
			}
		}
	}
	threads := s.options.Threads
	within := 1
	if len(all) < blas.Threads(threads) {
		threads, within = 1, threads
	}
	return blas.For(ctx, threads, len(all), 1, func(_, i, _ int) {
		m := all[i]
		m.collect()
		s.rule.sum(s, m, within)
		if !update {
			m.lastProduct = blas.Dot(m.sums.gram, m.gramH)
		}
	})
}

func (s *stack) passOver(ctx context.Context, panels []*panel, update bool) error {
	if s.data.Sparse == nil {
		return s.passDense(ctx, panels, update)
	}
	if update {
		err := blas.For(ctx, s.options.Threads, s.data.Rows, s.piece, func(worker, lo, hi int) {
			for _, p := range panels { // one after the other: its Hᵀ stays in the cache
				for at := lo; at < hi; at += s.block {
					s.updateRows(worker, p, at, min(at+s.block, hi), lo/s.piece, at == lo)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return s.sumColumns(ctx, panels)
}

// updateRows updates some rows of a panel's W, which are in a piece of the rows, the first
// ones or others.
func (s *stack) updateRows(worker int, p *panel, lo, hi, piece int, first bool) {
	c := &s.scratch[worker]
	w := p.w[lo*p.ld : hi*p.ld]
	num := grown(&c.num, len(w))
	var before []float64
	if s.compares() {
		before = grown(&c.before, len(w))
		copy(before, w)
	}
	s.rule.rows(s, p, lo, hi, num)
	s.rule.stepRows(c, p, lo, hi-lo, w, num)
	if before == nil {
		return
	}
	for _, m := range p.members {
		if m != nil {
			m.inner(p, hi-lo, w, before, first, m.cross[piece*m.r*m.r:])
		}
	}
}

// sumColumns sums over all rows of sparse data, strip by strip of the panels and range by
// range of the columns of the data. A number is summed in the order of the rows.
func (s *stack) sumColumns(ctx context.Context, panels []*panel) error {
	var strips []strip
	for _, p := range panels {
		strips = append(strips, s.rule.strips(p)...)
	}
	ranges := 1 // of a range every piece of W is read once more
	if threads := blas.Threads(s.options.Threads); len(strips)%threads != 0 || len(strips) < 2*threads {
		ranges = (4*threads + len(strips) - 1) / len(strips)
	}
	m := s.data.Cols
	size := (m + ranges - 1) / ranges
	ranges = (m + size - 1) / size
	return blas.For(ctx, s.options.Threads, len(strips)*ranges, 1, func(_, unit, _ int) {
		t := strips[unit/ranges]
		lo := unit % ranges * size
		hi := min(lo+size, m)
		for q, piece := range s.turned {
			s.rule.columns(&piece, t, lo, hi, t.w[q*s.piece*t.ld:], q == 0)
		}
	})
}

// passDense is a pass over dense data, chunk by chunk as of a single run.
func (s *stack) passDense(ctx context.Context, panels []*panel, update bool) error {
	n, m := s.data.Rows, s.data.Cols
	chunks := (n + s.piece - 1) / s.piece
	for _, p := range panels {
		if p.partials == nil {
			p.partials = make([][]float64, chunks)
			for q := range p.partials {
				p.partials[q] = make([]float64, m*p.ld)
			}
		}
	}
	k := s.options.Kernels
	err := blas.For(ctx, s.options.Threads, chunks, 1, func(worker, q, _ int) {
		end := min((q+1)*s.piece, n)
		for lo := q * s.piece; lo < end; lo += s.block {
			hi := min(lo+s.block, end)
			first := lo == q*s.piece
			beta := 1.0
			if first {
				beta = 0
			}
			x := s.data.Dense[lo*m : hi*m]
			for _, p := range panels {
				if update {
					s.updateRows(worker, p, lo, hi, q, first)
				}
				w := p.w[lo*p.ld : hi*p.ld]
				k.Gemm(true, false, m, p.ld, hi-lo, 1, x, m, w, p.ld, beta, p.partials[q], p.ld)
				for _, m := range p.members {
					if m != nil {
						m.inner(p, hi-lo, w, w, first, m.grams[q*m.r*m.r:])
					}
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for _, p := range panels {
		err := blas.For(ctx, s.options.Threads, m*p.ld, 8192, func(_, lo, hi int) {
			copy(p.num[lo:hi], p.partials[0][lo:hi])
			for _, more := range p.partials[1:] {
				blas.Axpy(1, more[lo:hi], p.num[lo:hi])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// turnedPieces is Xᵀ in pieces of the rows of X, with rows in two bytes and, where that loses
// nothing, values in four.
func turnedPieces(x *sparse.CSR, rows int) []blas.Entries {
	exact := true
	for _, v := range x.Val {
		exact = exact && float64(float32(v)) == v && math.Abs(v) <= math.MaxFloat32
	}
	near := make([]uint16, x.NNZ())
	var val []float64
	var short []float32
	if exact {
		short = make([]float32, x.NNZ())
	} else {
		val = make([]float64, x.NNZ())
	}
	var pieces []blas.Entries
	next := make([]int, x.Cols)
	for lo := 0; lo < x.Rows; lo += rows {
		hi := min(lo+rows, x.Rows)
		ptr := make([]int, x.Cols+1)
		for _, j := range x.Col[x.Ptr[lo]:x.Ptr[hi]] {
			ptr[j+1]++
		}
		ptr[0] = x.Ptr[lo]
		for j := range x.Cols {
			ptr[j+1] += ptr[j]
		}
		copy(next, ptr)
		for i := lo; i < hi; i++ {
			cols, vals := x.Row(i)
			for p, j := range cols {
				at := next[j]
				next[j]++
				near[at] = uint16(i - lo)
				if exact {
					short[at] = float32(vals[p])
				} else {
					val[at] = vals[p]
				}
			}
		}
		pieces = append(pieces, blas.NearEntries(ptr, near, val, short, hi-lo))
	}
	return pieces
}
