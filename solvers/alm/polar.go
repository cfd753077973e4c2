package alm

import (
	"context"
	"errors"
	"math"

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

// frame makes the columns of n × c panels orthonormal, in parallel over chunks of rows.
type frame struct {
	n, c, chunk  int
	kernels      *blas.Kernels
	threads      int
	shares       [][]float64 // of each chunk: c × c
	gram, root   []float64   // c × c
	values       []float64
	work         blas.Work
	from, to     []float64 // of the loop at hand
	grams, turns func(worker, lo, hi int)
}

func newFrame(n, c int, kernels *blas.Kernels, threads int) *frame {
	// A chunk has a matrix of c × c to itself; there are few where that would weigh.
	chunks := max(2, min(mostChunks, n/c))
	f := &frame{n: n, c: c, chunk: (n + chunks - 1) / chunks, kernels: kernels, threads: threads,
		gram: make([]float64, c*c), root: make([]float64, c*c), values: make([]float64, c)}
	for range chunks {
		f.shares = append(f.shares, make([]float64, c*c))
	}
	f.grams, f.turns = f.gramRows, f.turnRows
	return f
}

// orthonormal sets to = UVᵀ for from = UΣVᵀ: where that is well enough conditioned by
// N(NᵀN)^−½, formed again from that result where once does not give orthonormal
// columns; otherwise by the singular vectors, whose completion of a singular N is as
// good as any. from is overwritten.
func (f *frame) orthonormal(ctx context.Context, from, to []float64) error {
	n, c, target := f.n, f.c, to
	for range 2 {
		if err := f.gramOf(ctx, from); err != nil {
			return err
		}
		if err := f.kernels.SymEig(c, f.gram, c, f.values, &f.work); err != nil {
			return errNotFinite
		}
		least, largest := f.values[0], f.values[c-1]
		if !(least >= leastShare*largest) || !(largest > 0) {
			break
		}
		f.inverseRoot()
		f.from, f.to = from, to
		if err := blas.For(ctx, f.threads, n, f.chunk, f.turns); err != nil {
			return err
		}
		if least >= cleanShare*largest {
			if &to[0] != &target[0] {
				copy(target, to)
			}
			return nil
		}
		from, to = to, from
	}
	for _, v := range from {
		if v-v != 0 {
			return errNotFinite
		}
	}
	u, vt := make([]float64, n*c), make([]float64, c*c)
	if err := f.kernels.SVD(n, c, from, c, f.values, u, c, vt, c, &f.work); err != nil {
		return err
	}
	f.kernels.GemmParallel(f.threads, false, false, n, c, c, 1, u, c, vt, c, 0, target, c)
	return ctx.Err()
}

// inverseRoot forms (NᵀN)^−½ from the eigenvectors, which are rows.
func (f *frame) inverseRoot() {
	c := f.c
	for k, v := range f.values {
		blas.Scale(1/math.Sqrt(math.Sqrt(v)), f.gram[k*c:(k+1)*c])
	}
	f.kernels.Gemm(true, false, c, c, c, 1, f.gram, c, f.gram, c, 0, f.root, c)
}

func (f *frame) turnRows(_, lo, hi int) {
	f.kernels.Gemm(false, false, hi-lo, f.c, f.c, 1, f.from[lo*f.c:], f.c, f.root, f.c, 0, f.to[lo*f.c:], f.c)
}

// gramOf computes uᵀu.
func (f *frame) gramOf(ctx context.Context, u []float64) error {
	f.from = u
	if err := blas.For(ctx, f.threads, f.n, f.chunk, f.grams); err != nil {
		return err
	}
	copy(f.gram, f.shares[0])
	for at := f.chunk; at < f.n; at += f.chunk {
		blas.Axpy(1, f.shares[at/f.chunk], f.gram)
	}
	for k := range f.c {
		for l := range k {
			f.gram[k*f.c+l] = f.gram[l*f.c+k]
		}
	}
	return nil
}

func (f *frame) gramRows(_, lo, hi int) {
	f.kernels.Syrk(true, f.c, hi-lo, 1, f.from[lo*f.c:], f.c, 0, f.shares[lo/f.chunk], f.c)
}
