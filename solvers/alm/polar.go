package alm

import (
	"context"
	"errors"
	"math"

	"github.com/orthant-go/orthant/blas"
)

const (
	// minShare is the least eigenvalue of NᵀN, as a share of the largest, for which
	// the orthonormal factor comes from them: cond(N) < 1e6.
	minShare = 1e-12
	// cleanShare is that from which on it is orthonormal to rounding: the columns of
	// N(NᵀN)^−½ err by about 2⁻⁵²·cond(N)².
	cleanShare = 1e-4
)

var errNotFinite = errors.New("alm: the factors are no longer finite; scale the data to moderate size, or bring λ and µ nearer to their defaults")

// frame makes the columns of n × r panels orthonormal, in parallel over chunks of rows.
type frame struct {
	n, r, chunk          int
	kernels              *blas.Kernels
	threads              int
	partial              [][]float64 // of each chunk: r × r
	gram, root           []float64   // r × r
	values               []float64
	work                 blas.Work
	from, to             []float64 // of the current loop
	gramChunk, turnChunk func(worker, lo, hi int)
}

func newFrame(n, r int, kernels *blas.Kernels, threads int) *frame {
	// A chunk has a matrix of r × r to itself; there are few where that would weigh.
	chunks := max(2, min(maxChunks, n/r))
	f := &frame{n: n, r: r, chunk: (n + chunks - 1) / chunks, kernels: kernels, threads: threads,
		gram: make([]float64, r*r), root: make([]float64, r*r), values: make([]float64, r)}
	for range chunks {
		f.partial = append(f.partial, make([]float64, r*r))
	}
	f.gramChunk, f.turnChunk = f.gramRows, f.turnRows
	return f
}

// orthonormal sets to = UVᵀ for from = UΣVᵀ: where that is well enough conditioned by
// N(NᵀN)^−½, formed again from that result where once does not give orthonormal
// columns; otherwise by the singular vectors, whose completion of a singular N is as
// good as any. from is overwritten.
func (f *frame) orthonormalize(ctx context.Context, from, to []float64) error {
	n, r, target := f.n, f.r, to
	for range 2 {
		if err := f.formGram(ctx, from); err != nil {
			return err
		}
		if err := f.kernels.SymEig(r, f.gram, r, f.values, &f.work); err != nil {
			return errNotFinite
		}
		least, largest := f.values[0], f.values[r-1]
		if !(least >= minShare*largest) || !(largest > 0) {
			break
		}
		f.formInverseRoot()
		f.from, f.to = from, to
		if err := blas.For(ctx, f.threads, n, f.chunk, f.turnChunk); err != nil {
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
	u, vt := make([]float64, n*r), make([]float64, r*r)
	if err := f.kernels.SVD(n, r, from, r, f.values, u, r, vt, r, &f.work); err != nil {
		return err
	}
	f.kernels.GemmParallel(f.threads, false, false, n, r, r, 1, u, r, vt, r, 0, target, r)
	return ctx.Err()
}

// formInverseRoot forms (NᵀN)^−½ from the eigenvectors, which are rows.
func (f *frame) formInverseRoot() {
	r := f.r
	for k, v := range f.values {
		blas.Scale(1/math.Sqrt(math.Sqrt(v)), f.gram[k*r:(k+1)*r])
	}
	f.kernels.Gemm(true, false, r, r, r, 1, f.gram, r, f.gram, r, 0, f.root, r)
}

func (f *frame) turnRows(_, lo, hi int) {
	f.kernels.Gemm(false, false, hi-lo, f.r, f.r, 1, f.from[lo*f.r:], f.r, f.root, f.r, 0, f.to[lo*f.r:], f.r)
}

// formGram computes uᵀu.
func (f *frame) formGram(ctx context.Context, u []float64) error {
	f.from = u
	if err := blas.For(ctx, f.threads, f.n, f.chunk, f.gramChunk); err != nil {
		return err
	}
	copy(f.gram, f.partial[0])
	for at := f.chunk; at < f.n; at += f.chunk {
		blas.Axpy(1, f.partial[at/f.chunk], f.gram)
	}
	for k := range f.r {
		for l := range k {
			f.gram[k*f.r+l] = f.gram[l*f.r+k]
		}
	}
	return nil
}

func (f *frame) gramRows(_, lo, hi int) {
	f.kernels.Syrk(true, f.r, hi-lo, 1, f.from[lo*f.r:], f.r, 0, f.partial[lo/f.chunk], f.r)
}
