package alm

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// tileNumbers bounds the samples of a block, of which four panels are worked on at
	// a time: a quarter of a MiB each.
	tileNumbers = 1 << 15
	// blockUnit divides the rows of a block, for the sake of the products' tiles.
	blockUnit = 14
	// mostChunks is the number of chunks of samples, the unit of parallel work.
	mostChunks = 16
	// columnBlock is the number of columns of H that a worker solves for.
	columnBlock = 256
)

// state holds the blocks of variables of one iteration.
type state struct {
	n, m, r int
	lambda  float64
	mu      float64 // of the present E and A
	kernels *blas.Kernels
	threads int

	x, e, a  []float64 // n × m: the data, E, and A = X − E + Λ₁/μ
	h        []float64 // H, r × m
	w, wPlus []float64 // n × r
	l2       []float64 // Λ₂, n × r
	target   []float64 // N, n × r

	block, chunk, chunks int
	tile                 [][]float64 // of each worker: block × m
	row                  [][]float64 // of each worker: m
	product              [][]float64 // of each worker: block × r
	partial              [][]float64 // WᵀA of each chunk: r × m
	sums                 []sums      // of each chunk

	normX   float64   // ‖X‖²
	degree  []float64 // S1
	frame   *frame    // of W
	current passState

	// The loops, made once: a closure at each call would be an allocation.
	sweepChunk, stepChunkWPlus, formChunkTargets, solveColumns func(worker, lo, hi int)
}

// passState is what the loops of a pass share.
type passState struct {
	affinity *sparse.CSR
	ratio    float64 // of the penalty to the next
}

// sums over the samples of a chunk.
type sums struct {
	residual float64 // ‖X − WH − E‖²
	squares  float64 // ‖X − WH‖²
	loss     float64 // Σ ‖(X − WH)ᵢ‖
	split    float64 // ‖W − W₊‖²
}

func newState(n, m int, x []float64, o Options) *state {
	r := o.Rank
	s := &state{n: n, m: m, r: r, lambda: o.Lambda, kernels: o.Kernels, threads: o.Threads, x: x}
	s.e, s.a = make([]float64, n*m), make([]float64, n*m)
	s.h = append([]float64(nil), o.H...)
	s.w = append([]float64(nil), o.W...)
	s.wPlus, s.l2, s.target = make([]float64, n*r), make([]float64, n*r), make([]float64, n*r)
	s.degree = make([]float64, n)
	s.frame = newFrame(n, r, o.Kernels, o.Threads)
	s.layout()
	s.sums = make([]sums, s.chunks)
	for range s.chunks {
		s.partial = append(s.partial, make([]float64, r*m))
	}
	for range min(blas.Threads(o.Threads), s.chunks) {
		s.tile, s.row = append(s.tile, make([]float64, s.block*m)), append(s.row, make([]float64, m))
		s.product = append(s.product, make([]float64, s.block*r))
	}
	s.sweepChunk, s.stepChunkWPlus, s.formChunkTargets, s.solveColumns = s.sweepSamples, s.stepSamplesWPlus, s.formTargets, s.solveColumnBlock
	s.measureData()
	return s
}

// layout cuts the samples. It depends on the sizes alone.
func (s *state) layout() {
	s.block = min(s.n, max(1, min(16, tileNumbers/s.m/blockUnit))*blockUnit)
	// A chunk has sums of r × m to itself; there are few where that would weigh.
	chunks := max(2, min(mostChunks, s.n/s.r))
	s.chunk = ((s.n+chunks-1)/chunks + s.block - 1) / s.block * s.block
	s.chunks = (s.n + s.chunk - 1) / s.chunk
}

// rows are the samples of a chunk.
func (s *state) rows(chunk int) (lo, hi int) {
	return chunk * s.chunk, min((chunk+1)*s.chunk, s.n)
}

// blocks calls do for the blocks of a chunk.
func (s *state) blocks(chunk int, do func(lo, hi int)) {
	from, to := s.rows(chunk)
	for lo := from; lo < to; lo += s.block {
		do(lo, min(lo+s.block, to))
	}
}

// each runs a loop over the chunks.
func (s *state) each(ctx context.Context, do func(worker, lo, hi int)) error {
	return blas.For(ctx, s.threads, s.chunks, 1, do)
}

func (s *state) measureData() {
	var squares float64
	for i := range s.n {
		row := s.x[i*s.m : (i+1)*s.m]
		squares += blas.Dot(row, row)
	}
	s.normX = squares
}
