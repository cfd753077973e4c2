package datasets

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// source hands out the random stream of one seed in consecutive pieces. Since
// the state of SplitMix64 is a counter, a piece can be entered at any place:
// the pieces of a large batch are drawn in parallel, each as if all the others
// had been drawn before it.
type source struct{ seed, used uint64 }

// step is the increment of SplitMix64's counter.
const step = 0x9E3779B97F4A7C15

// at returns the stream from the given output on, counted from the current position of
// the source.
func (s *source) at(ahead int) *blas.Stream {
	return blas.NewStream(s.seed + (s.used+uint64(ahead))*step)
}

// skip moves on over n outputs.
func (s *source) skip(n int) { s.used += uint64(n) }

// uniforms fills dst.
func (s *source) uniforms(dst []float64) {
	s.at(0).Uniforms(dst)
	s.skip(len(dst))
}

// normals fills dst as one batch.
func (s *source) normals(dst []float64) {
	const block = 1 << 12 // even, so that no pair is split
	parallel(len(dst), block, func(lo, hi int) {
		s.at(lo).Normals(dst[lo:hi])
	})
	s.skip(outputs(len(dst)))
}

// scaledNormals returns n normal numbers times a.
func (s *source) scaledNormals(a float64, n int) []float64 {
	x := make([]float64, n)
	s.normals(x)
	blas.Scale(a, x)
	return x
}

// outputs is the number of outputs that a batch of n normal numbers takes.
func outputs(n int) int { return n + n%2 }

// parallel runs do over blocks of 0 ≤ i < n on all cores.
func parallel(n, size int, do func(lo, hi int)) {
	// The background context is never cancelled, the only way to an error.
	_ = blas.For(context.Background(), 0, n, size, func(_, lo, hi int) { do(lo, hi) })
}
