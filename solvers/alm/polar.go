package alm

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

const (
	// leastShare is the least eigenvalue of NᵀN, as a share of the largest, for which
	// the orthonormal factor comes from them: cond(N) < 1e6.
	leastShare = 1e-12
	// cleanShare is that from which on it is orthonormal to rounding: the columns of
	// N(NᵀN)^−½ err by about 2⁻⁵²·cond(N)².
	cleanShare = 1e-4
)

var errNotFinite = errors.New("alm: the factors are no longer finite; scale the data to moderate size, or lower λ")

// orthonormal sets G = UVᵀ for N = UΣVᵀ: where N is well enough conditioned by
// N(NᵀN)^−½, formed again from that result where once does not give orthonormal
// columns; otherwise by the singular vectors, whose completion of a singular N is as
// good as any.
func (s *state) orthonormal(ctx context.Context) error {
	n, c := s.n, s.c
	for range 2 {
		if err := s.gramOf(ctx, s.p); err != nil {
			return err
		}
		if err := s.kernels.SymEig(c, s.gram, c, s.values, &s.work); err != nil {
			return errNotFinite
		}
		least, largest := s.values[0], s.values[c-1]
		if !(least >= leastShare*largest) || !(largest > 0) {
			break
		}
		s.inverseRoot()
		if err := s.each(ctx, s.turnChunk); err != nil {
			return err
		}
		if least >= cleanShare*largest {
			return nil
		}
		s.p, s.g = s.g, s.p
	}
	for _, v := range s.p {
		if v-v != 0 {
			return errNotFinite
		}
	}
	u, vt := make([]float64, n*c), make([]float64, c*c)
	if err := s.kernels.SVD(n, c, slices.Clone(s.p), c, s.values, u, c, vt, c, &s.work); err != nil {
		return err
	}
	s.kernels.GemmParallel(s.threads, false, false, n, c, c, 1, u, c, vt, c, 0, s.g, c)
	return ctx.Err()
}

// inverseRoot forms (NᵀN)^−½ from the eigenvectors, which are rows.
func (s *state) inverseRoot() {
	c := s.c
	for k, v := range s.values {
		blas.Scale(1/math.Sqrt(math.Sqrt(v)), s.gram[k*c:(k+1)*c])
	}
	s.kernels.Gemm(true, false, c, c, c, 1, s.gram, c, s.gram, c, 0, s.root, c)
}

func (s *state) turnSamples(_, chunk, _ int) {
	lo, hi := s.rows(chunk)
	s.kernels.Gemm(false, false, hi-lo, s.c, s.c, 1, s.p[lo*s.c:], s.c, s.root, s.c, 0, s.g[lo*s.c:], s.c)
}

// gramOf computes uᵀu of an n × c panel.
func (s *state) gramOf(ctx context.Context, u []float64) error {
	s.current.panel = u
	if err := s.each(ctx, s.gramChunk); err != nil {
		return err
	}
	copy(s.gram, s.grams[0])
	for _, share := range s.grams[1:] {
		blas.Axpy(1, share, s.gram)
	}
	for k := range s.c {
		for l := range k {
			s.gram[k*s.c+l] = s.gram[l*s.c+k]
		}
	}
	return nil
}

func (s *state) gramSamples(_, chunk, _ int) {
	lo, hi := s.rows(chunk)
	s.kernels.Syrk(true, s.c, hi-lo, 1, s.current.panel[lo*s.c:], s.c, 0, s.grams[chunk], s.c)
}
