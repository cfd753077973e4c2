package alm

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// span has the samples and the components of the start as n + r coordinates in the space
// that they span, which no iterate leaves: H is made of rows of A, which are samples,
// residuals and rows of WH, and all of these are combinations. The loss looks at the
// lengths of rows alone and so does not change with the basis.
//
// With Z the samples above the components, the coordinates are the rows of the Cholesky
// factor L of ZZᵀ + δI, δ at the rounding of ZZᵀ: the coordinates of samples that also have √δ in a
// direction of their own.
type span struct {
	n, m, r, p int
	x, h       []float64 // as they were given: n × m and r × m
	l          []float64 // p × p, p = n + r
	kernels    *blas.Kernels
	threads    int
}

// spanRidge is δ in units of the rounding of p numbers, for data of spectral norm 1.
const spanRidge = 8 * 0x1p-52

// pays reports whether the coordinates cost less than they save: p²m flops for ZZᵀ and p³/3
// for L against the flops of the passes, with some twenty for each entry besides the products.
func pays(n, m, r, passes int) bool {
	p := n + r
	saved := float64(passes) * float64(n) * float64(m-p) * float64(6*r+20)
	return m > p && saved > 2*float64(p)*float64(p)*(float64(m)+float64(p)/3)
}

// newSpan finds the coordinates; nil: the factor cannot be found.
func newSpan(n, m int, x []float64, o Options) *span {
	r := o.Rank
	p := n + r
	s := &span{n: n, m: m, r: r, p: p, x: x, h: o.H, l: make([]float64, p*p), kernels: o.Kernels, threads: o.Threads}
	// The lower triangle: the components' rows below the samples'.
	s.kernels.SyrkParallel(s.threads, false, n, m, 1, x, m, 0, s.l, p)
	for i := range n {
		for j := range i {
			s.l[i*p+j] = s.l[j*p+i]
		}
	}
	s.kernels.GemmParallel(s.threads, false, true, r, n, m, 1, s.h, m, x, m, 0, s.l[n*p:], p)
	s.kernels.GemmParallel(s.threads, false, true, r, r, m, 1, s.h, m, s.h, m, 0, s.l[n*p+n:], p)
	var most float64
	for i := range p {
		most = max(most, s.l[i*p+i])
	}
	ridge := spanRidge * float64(p) * max(1, most)
	for i := range p {
		s.l[i*p+i] += ridge
	}
	if !s.kernels.Cholesky(p, s.l, p) {
		return nil
	}
	for i := range p {
		clear(s.l[i*p+i+1 : (i+1)*p])
	}
	return s
}

// samples and start are the coordinates.
func (s *span) samples() []float64 { return s.l[:s.n*s.p] }
func (s *span) start() []float64   { return s.l[s.n*s.p:] }

// back turns components h (r × p) from coordinates: h = KL, and KZ are they.
func (s *span) back(ctx context.Context, h []float64) ([]float64, error) {
	n, m, r, p := s.n, s.m, s.r, s.p
	k := append([]float64(nil), h...)
	err := blas.For(ctx, s.threads, r, 1, func(_, c, _ int) {
		row := k[c*p : (c+1)*p]
		for j := p - 1; j >= 0; j-- {
			row[j] /= s.l[j*p+j]
			blas.Axpy(-row[j], s.l[j*p:j*p+j], row[:j])
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]float64, r*m)
	s.kernels.GemmParallel(s.threads, false, false, r, m, n, 1, k, p, s.x, m, 0, out, m)
	s.kernels.GemmParallel(s.threads, false, false, r, m, r, 1, k[n:], p, s.h, m, 1, out, m)
	return out, nil
}
