package alm

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// ridge is what is added to the diagonal of GᵀG, as a share of its trace.
const ridge = 1e-12

// stepComponents sets F = AᵀG(GᵀG)⁻¹ from the sums of the last sweep. GᵀG = I from the
// second pass on, but for rounding.
func (s *state) stepComponents(ctx context.Context) error {
	c := s.c
	if err := s.frame.gramOf(ctx, s.g); err != nil {
		return err
	}
	gram := s.frame.gram
	var trace float64
	for k := range c {
		trace += gram[k*c+k]
	}
	for k := range c {
		gram[k*c+k] += ridge * max(1, trace)
	}
	if !s.kernels.Cholesky(c, gram, c) {
		return errNotFinite
	}
	return blas.For(ctx, s.threads, s.m, columnBlock, s.solveColumns)
}

// solveBlock adds up the shares of some columns of F and solves for them.
func (s *state) solveBlock(_, lo, hi int) {
	m, c, gram := s.m, s.c, s.frame.gram
	row := func(k int) []float64 { return s.f[k*m+lo : k*m+hi] }
	for k := range c {
		copy(row(k), s.share[0][k*m+lo:k*m+hi])
		for _, share := range s.share[1:] {
			blas.Axpy(1, share[k*m+lo:k*m+hi], row(k))
		}
		for l := range k {
			blas.Axpy(-gram[k*c+l], row(l), row(k))
		}
		blas.Scale(1/gram[k*c+k], row(k))
	}
	for k := c - 1; k >= 0; k-- {
		for l := k + 1; l < c; l++ {
			blas.Axpy(-gram[l*c+k], row(l), row(k))
		}
		blas.Scale(1/gram[k*c+k], row(k))
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

// laplacian computes the rows of L·u, u n × c, into to.
func (s *state) laplacian(lo, hi int, u, to []float64) {
	c := s.c
	if s.current.affinity == nil {
		clear(to)
		return
	}
	a := s.current.affinity
	blas.MulCSRBlock(c, 0, hi-lo, a.Ptr[lo:], a.Col, a.Val, u, to)
	for i := lo; i < hi; i++ {
		row, own := to[(i-lo)*c:(i-lo+1)*c], u[i*c:(i+1)*c]
		for k, v := range row {
			row[k] = s.degree[i]*own[k] - v
		}
	}
}

func (s *state) stepSamplesH(worker, chunk, _ int) {
	c, f := s.c, s.lambda/s.mu
	s.blocks(chunk, func(lo, hi int) {
		lg := s.product[worker][:(hi-lo)*c]
		s.laplacian(lo, hi, s.g, lg)
		g, l2, h := s.g[lo*c:hi*c], s.l2[lo*c:hi*c], s.h[lo*c:hi*c]
		for q, v := range lg {
			h[q] = max(0, g[q]+l2[q]/s.mu-f*v)
		}
	})
}

// stepSamplesN computes N = H − Λ₂/μ − (λ/μ)LH + AF.
func (s *state) stepSamplesN(worker, chunk, _ int) {
	m, c, f := s.m, s.c, s.lambda/s.mu
	s.blocks(chunk, func(lo, hi int) {
		lh := s.product[worker][:(hi-lo)*c]
		s.laplacian(lo, hi, s.h, lh)
		h, l2, p := s.h[lo*c:hi*c], s.l2[lo*c:hi*c], s.p[lo*c:hi*c]
		for q, v := range lh {
			p[q] = h[q] - l2[q]/s.mu - f*v
		}
		s.kernels.Gemm(false, true, hi-lo, c, m, 1, s.a[lo*m:], m, s.f, m, 1, p, c)
	})
}

// stepFactors takes the steps of F, H and G.
func (s *state) stepFactors(ctx context.Context) error {
	if err := s.stepComponents(ctx); err != nil {
		return err
	}
	if err := s.each(ctx, s.stepChunkH); err != nil {
		return err
	}
	if err := s.each(ctx, s.stepChunkN); err != nil {
		return err
	}
	return s.frame.orthonormal(ctx, s.p, s.g)
}

// stepMultiplier updates Λ₂ and measures ‖G − H‖².
func (s *state) stepMultiplier() {
	for chunk := range s.chunks {
		lo, hi := s.rows(chunk)
		var sum float64
		h, l2 := s.h[lo*s.c:hi*s.c], s.l2[lo*s.c:hi*s.c]
		for q, v := range s.g[lo*s.c : hi*s.c] {
			d := v - h[q]
			l2[q] += s.mu * d
			sum += d * d
		}
		s.sums[chunk].split = sum
	}
}

// regulariser is λ tr(GᵀLG).
func (s *state) regulariser() float64 {
	var total float64
	for chunk := range s.chunks {
		s.blocks(chunk, func(lo, hi int) {
			lg := s.product[0][:(hi-lo)*s.c]
			s.laplacian(lo, hi, s.g, lg)
			total += blas.Dot(lg, s.g[lo*s.c:hi*s.c])
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
		Residuals: [3]float64{math.Sqrt(all.residual) / norm, math.Sqrt(all.split / float64(s.c)), graph}}
}
