package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// shares are sums over samples.
type shares struct {
	all     []float64
	num     []float64 // r × width: YᵀD, or with weights
	gram    []float64 // YᵀY, r × r
	sums    []float64 // column sums of Y
	squares *float64  // of the residual
	beta    float64   // 0 for the first block of a chunk: it writes num, the others add to it
	loss    *float64
}

func newShares(m, r int, wide bool) shares {
	width := m
	if wide {
		width = 2 * m
	}
	s := shares{all: make([]float64, r*width+r*r+r+2)}
	rest := s.all
	take := func(n int) []float64 {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	s.num = take(r * width)
	s.gram, s.sums = take(r*r), take(r)
	s.squares, s.loss = &rest[0], &rest[1]
	return s
}

// pass calls do for every block of rows, chunk by chunk, and adds up what the
// chunks summed, in their order.
func (c *core) pass(ctx context.Context, do func(s *scratch, lo, hi int, sum *shares)) error {
	return c.passes(ctx, func(_ int, s *scratch, lo, hi int, sum *shares) { do(s, lo, hi, sum) })
}

// passes is pass for those who have scratch of their own for each worker.
func (c *core) passes(ctx context.Context, do func(worker int, s *scratch, lo, hi int, sum *shares)) error {
	return c.passOver(ctx, 0, do)
}

// measurePass is pass where do leaves the numerators alone: only the sums behind
// them are formed.
func (c *core) measurePass(ctx context.Context, do func(s *scratch, lo, hi int, sum *shares)) error {
	return c.passOver(ctx, len(c.share.num), func(_ int, s *scratch, lo, hi int, sum *shares) { do(s, lo, hi, sum) })
}

// passOver forms the sums from place skip of shares.all on. The numerators, the
// bulk of them, are not cleared: the first block of a chunk writes them (beta).
func (c *core) passOver(ctx context.Context, skip int, do func(worker int, s *scratch, lo, hi int, sum *shares)) error {
	err := blas.For(ctx, c.threads, len(c.partial), 1, func(worker, q, _ int) {
		sum := &c.partial[q]
		clear(sum.all[len(sum.num):])
		sum.beta = 0
		end := min((q+1)*c.chunk, c.n)
		for lo := q * c.chunk; lo < end; lo += c.block {
			do(worker, &c.scratch[worker], lo, min(lo+c.block, end), sum)
			sum.beta = 1
		}
	})
	if err != nil {
		return err
	}
	return blas.For(ctx, c.threads, len(c.share.all)-skip, 8192, func(_, lo, hi int) {
		lo, hi = lo+skip, hi+skip
		copy(c.share.all[lo:hi], c.partial[0].all[lo:hi])
		for q := 1; q < len(c.partial); q++ {
			blas.Axpy(1, c.partial[q].all[lo:hi], c.share.all[lo:hi])
		}
	})
}
