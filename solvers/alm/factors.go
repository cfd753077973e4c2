package alm

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// ridge is what is added to the diagonal of WᵀW, as a share of its trace.
const ridge = 1e-12

// stepComponents sets H = (WᵀW)⁻¹WᵀA from the sums of the last sweep. WᵀW = I from the
// second pass on, but for rounding.
func (s *state) stepComponents(ctx context.Context) error {
	r := s.r
	if err := s.frame.formGram(ctx, s.w); err != nil {
		return err
	}
	gram := s.frame.gram
	var trace float64
	for k := range r {
		trace += gram[k*r+k]
	}
	for k := range r {
		gram[k*r+k] += ridge * max(1, trace)
	}
	if !s.kernels.Cholesky(r, gram, r) {
		return errNotFinite
	}
	return blas.For(ctx, s.threads, s.m, columnBlock, s.solveColumns)
}

// solveColumnBlock adds up the partial sums of some columns of H and solves for them.
func (s *state) solveColumnBlock(_, lo, hi int) {
	m, r, gram := s.m, s.r, s.frame.gram
	row := func(k int) []float64 { return s.h[k*m+lo : k*m+hi] }
	for k := range r {
		copy(row(k), s.partial[0][k*m+lo:k*m+hi])
		for _, chunk := range s.partial[1:] {
			blas.Axpy(1, chunk[k*m+lo:k*m+hi], row(k))
		}
		for l := range k {
			blas.Axpy(-gram[k*r+l], row(l), row(k))
		}
		blas.Scale(1/gram[k*r+k], row(k))
	}
	for k := r - 1; k >= 0; k-- {
		for l := k + 1; l < r; l++ {
			blas.Axpy(-gram[l*r+k], row(l), row(k))
		}
		blas.Scale(1/gram[k*r+k], row(k))
	}
}

// takeAffinity keeps S and its row sums for a pass.
func (s *state) takeAffinity(a *sparse.CSR) {
	s.current.affinity = a
	if a == nil || s.lambda == 0 {
		s.current.affinity = nil
		return
	}
	for i := range s.n {
		_, vals := a.Row(i)
		var sum float64
		for _, v := range vals {
			sum += v
		}
		s.degree[i] = sum
	}
}

// multiplyLaplacian computes the rows of Φ·u, u n × r, into to.
func (s *state) multiplyLaplacian(lo, hi int, u, to []float64) {
	r := s.r
	if s.current.affinity == nil {
		clear(to)
		return
	}
	a := s.current.affinity
	blas.MulCSRBlock(r, 0, hi-lo, a.Ptr[lo:], a.Col, a.Val, u, to)
	for i := lo; i < hi; i++ {
		row, own := to[(i-lo)*r:(i-lo+1)*r], u[i*r:(i+1)*r]
		for k, v := range row {
			row[k] = s.degree[i]*own[k] - v
		}
	}
}

// stepSamplesWPlus computes W₊ = max(0, W + Λ₂/μ − (λ/μ)ΦW).
func (s *state) stepSamplesWPlus(worker, chunk, _ int) {
	r, ratio := s.r, s.lambda/s.mu
	s.blocks(chunk, func(lo, hi int) {
		product := s.product[worker][:(hi-lo)*r]
		s.multiplyLaplacian(lo, hi, s.w, product)
		w, l2, wPlus := s.w[lo*r:hi*r], s.l2[lo*r:hi*r], s.wPlus[lo*r:hi*r]
		for q, v := range product {
			wPlus[q] = max(0, w[q]+l2[q]/s.mu-ratio*v)
		}
	})
}

// formTargets computes N = W₊ − Λ₂/μ − (λ/μ)ΦW₊ + AHᵀ.
func (s *state) formTargets(worker, chunk, _ int) {
	m, r, ratio := s.m, s.r, s.lambda/s.mu
	s.blocks(chunk, func(lo, hi int) {
		product := s.product[worker][:(hi-lo)*r]
		s.multiplyLaplacian(lo, hi, s.wPlus, product)
		wPlus, l2, target := s.wPlus[lo*r:hi*r], s.l2[lo*r:hi*r], s.target[lo*r:hi*r]
		for q, v := range product {
			target[q] = wPlus[q] - l2[q]/s.mu - ratio*v
		}
		s.kernels.Gemm(false, true, hi-lo, r, m, 1, s.a[lo*m:], m, s.h, m, 1, target, r)
	})
}

// stepFactors takes the steps of H, W₊ and W.
func (s *state) stepFactors(ctx context.Context) error {
	if err := s.stepComponents(ctx); err != nil {
		return err
	}
	if err := s.each(ctx, s.stepChunkWPlus); err != nil {
		return err
	}
	if err := s.each(ctx, s.formChunkTargets); err != nil {
		return err
	}
	return s.frame.orthonormalize(ctx, s.target, s.w)
}

// stepMultiplier updates Λ₂ and measures ‖W − W₊‖².
func (s *state) stepMultiplier() {
	for chunk := range s.chunks {
		lo, hi := s.rows(chunk)
		var sum float64
		wPlus, l2 := s.wPlus[lo*s.r:hi*s.r], s.l2[lo*s.r:hi*s.r]
		for q, v := range s.w[lo*s.r : hi*s.r] {
			d := v - wPlus[q]
			l2[q] += s.mu * d
			sum += d * d
		}
		s.sums[chunk].split = sum
	}
}

// regularizer is λ tr(WᵀΦW).
func (s *state) regularizer() float64 {
	var total float64
	for chunk := range s.chunks {
		s.blocks(chunk, func(lo, hi int) {
			product := s.product[0][:(hi-lo)*s.r]
			s.multiplyLaplacian(lo, hi, s.w, product)
			total += blas.Dot(product, s.w[lo*s.r:hi*s.r])
		})
	}
	return s.lambda * total
}

// point adds up what the last sweep measured.
func (s *state) point(pass int, mu, graph float64) Point {
	var all sums
	for _, one := range s.sums {
		all.residual += one.residual
		all.squares += one.squares
		all.loss += one.loss
		all.split += one.split
	}
	norm := max(tiny, math.Sqrt(s.normX))
	return Point{Pass: pass, Mu: mu, Loss: all.loss, Relative: math.Sqrt(all.squares) / norm,
		Residuals: [3]float64{math.Sqrt(all.residual) / norm, math.Sqrt(all.split / float64(s.r)), graph}}
}

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
