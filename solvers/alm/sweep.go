package alm

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// sweep ends one pass and begins the next in a single pass over the data: with the
// present factors it measures the residual, updates Λ₁ by the old penalty, and finds
// E, A and the sums WᵀA for the penalty next. With T = WH and κ = μ/next it uses
//
//	Λ₁/μ = A − T,   B = X − T + κ(A − T),   E = (1−σ)B,   A ← T + σB,
//
// where σᵢ = min(1, 1/(next‖bᵢ‖)): nothing cancels.
func (s *state) sweep(ctx context.Context, next float64) error {
	s.current.ratio = s.mu / next
	s.mu = next
	return s.each(ctx, s.sweepChunk)
}

// begin is the sweep before the first pass, for multipliers of zero.
func (s *state) begin(ctx context.Context, mu float64) error {
	s.current.ratio, s.mu = 0, mu
	return s.each(ctx, s.sweepChunk)
}

func (s *state) sweepSamples(worker, chunk, _ int) {
	m, r := s.m, s.r
	var sum sums
	sum.split = s.sums[chunk].split
	beta := 0.0
	s.blocks(chunk, func(lo, hi int) {
		tile := s.tile[worker][:(hi-lo)*m]
		s.kernels.Gemm(false, false, hi-lo, m, r, 1, s.w[lo*r:], r, s.h, m, 0, tile, m)
		for i := lo; i < hi; i++ {
			s.sweepSample(i, tile[(i-lo)*m:(i-lo+1)*m], s.row[worker], &sum)
		}
		s.kernels.Gemm(true, false, r, m, hi-lo, 1, s.w[lo*r:], r, s.a[lo*m:], m, beta, s.partial[chunk], m)
		beta = 1
	})
	s.sums[chunk] = sum
}

// sweepSample treats one sample: t is its row of WH, b scratch.
func (s *state) sweepSample(i int, t, b []float64, sum *sums) {
	x, e, a := s.x[i*s.m:(i+1)*s.m], s.e[i*s.m:(i+1)*s.m], s.a[i*s.m:(i+1)*s.m]
	copy(b, x)
	blas.Axpy(-1, t, b)
	sum.residual += blas.SquaredDistance(b, e)
	squares := blas.Dot(b, b)
	sum.squares += squares
	sum.loss += math.Sqrt(squares)
	if s.current.ratio != 0 {
		blas.Axpy(-1, t, a)
		blas.Axpy(s.current.ratio, a, b)
	}
	shrunk := 1.0
	if length := s.mu * math.Sqrt(blas.Dot(b, b)); length > 1 {
		shrunk = 1 / length
	}
	copy(a, t)
	blas.Axpy(shrunk, b, a)
	clear(e)
	if shrunk < 1 {
		blas.Axpy(1-shrunk, b, e)
	}
}
