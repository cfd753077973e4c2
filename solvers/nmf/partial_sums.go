package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// partialSums are sums over some of the samples.
type partialSums struct {
	all        []float64
	num        []float64 // r × width: WᵀX, or with weights
	gram       []float64 // WᵀW, r × r
	columnSums []float64 // of W
	squares    *float64  // of the residual
	loss       *float64
	beta       float64 // 0 for the first block of a chunk: it writes num, the others add to it
}

func newPartialSums(m, r int, wide bool) partialSums {
	width := m
	if wide {
		width = 2 * m
	}
	s := partialSums{all: make([]float64, r*width+r*r+r+2)}
	rest := s.all
	take := func(n int) []float64 {
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	s.num = take(r * width)
	s.gram, s.columnSums = take(r*r), take(r)
	s.squares, s.loss = &rest[0], &rest[1]
	return s
}

// pass calls do for every block of rows, chunk by chunk, and adds up what the
// chunks summed, in their order.
func (f *factorization) pass(ctx context.Context, do func(s *scratch, lo, hi int, sum *partialSums)) error {
	return f.passes(ctx, func(_ int, s *scratch, lo, hi int, sum *partialSums) { do(s, lo, hi, sum) })
}

// passes is pass for those who have scratch of their own for each worker.
func (f *factorization) passes(ctx context.Context, do func(worker int, s *scratch, lo, hi int, sum *partialSums)) error {
	return f.passOver(ctx, 0, do)
}

// measurePass is pass where do leaves the numerators alone: only the sums behind
// them are formed.
func (f *factorization) measurePass(ctx context.Context, do func(s *scratch, lo, hi int, sum *partialSums)) error {
	return f.passOver(ctx, len(f.sums.num), func(_ int, s *scratch, lo, hi int, sum *partialSums) { do(s, lo, hi, sum) })
}

// passOver forms the sums from place skip of partialSums.all on. The numerators, the
// bulk of them, are not cleared: the first block of a chunk writes them (beta).
func (f *factorization) passOver(ctx context.Context, skip int, do func(worker int, s *scratch, lo, hi int, sum *partialSums)) error {
	err := blas.For(ctx, f.threads, len(f.partials), 1, func(worker, q, _ int) {
		sum := &f.partials[q]
		clear(sum.all[len(sum.num):])
		sum.beta = 0
		end := min((q+1)*f.chunk, f.n)
		for lo := q * f.chunk; lo < end; lo += f.block {
			do(worker, &f.scratch[worker], lo, min(lo+f.block, end), sum)
			sum.beta = 1
		}
	})
	if err != nil {
		return err
	}
	return blas.For(ctx, f.threads, len(f.sums.all)-skip, 8192, func(_, lo, hi int) {
		lo, hi = lo+skip, hi+skip
		copy(f.sums.all[lo:hi], f.partials[0].all[lo:hi])
		for q := 1; q < len(f.partials); q++ {
			blas.Axpy(1, f.partials[q].all[lo:hi], f.sums.all[lo:hi])
		}
	})
}
