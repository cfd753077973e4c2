package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// leftSpectrum finds the leading left singular vectors of small matrices from the smaller of the two
// Gram matrices. It is the scratch of one worker.
type leftSpectrum struct {
	kernels *blas.Kernels
	values  []float64 // squared singular values, descending, one for each row
	vectors []float64 // vectors[j·p : (j+1)·p] is the j-th left singular vector

	gram, ascending, scratch []float64

	stop func() bool // ends the work without a result; nil: never
}

func newLeftSpectrum(kernels *blas.Kernels, rows int) *leftSpectrum {
	return &leftSpectrum{
		kernels: kernels,
		values:  make([]float64, rows), vectors: make([]float64, rows*rows),
		gram: make([]float64, rows*rows), ascending: make([]float64, rows), scratch: make([]float64, 2*rows),
	}
}

// roundingShare: a Gram matrix determines squared singular values to about this share of the
// largest. Directions below it are not determined.
const roundingShare = 1e-14

// analyze decomposes the p × m matrix g (row-major). values are all p squared singular
// values; the leading `vectors` of them have vectors. vectors = 0 requests only the values, and
// vectors < 0 a full orthonormal basis.
func (s *leftSpectrum) analyze(g []float64, p, m, vectors int) {
	if m < p && vectors >= 0 && s.narrow(g, p, m, vectors) {
		return
	}
	gramOf(s.kernels, s.stop, g, p, m, s.gram[:p*p])
	// Data is finite and the order small: the iteration converges.
	blas.SymEigSmallUntil(s.stop, p, s.gram[:p*p], s.ascending[:p], vectors != 0, s.scratch)
	for j := range p {
		s.values[j] = max(s.ascending[p-1-j], 0)
		if m < p && j >= m {
			s.values[j] = 0 // exact; the eigensolver returns rounding errors
		}
	}
	if vectors != 0 {
		for j := range p {
			copy(s.vectors[j*p:j*p+p], s.gram[(p-1-j)*p:(p-j)*p])
		}
	}
}

// rank finds the leading vectors of the n × m matrix z of centred rows, at
// most `most`, and returns their number. Directions whose singular value is
// at rounding level are dropped: a computed null vector need not be orthogonal
// to the constants.
func (s *leftSpectrum) rank(z []float64, n, m, most int) int {
	rank := min(most, n, m)
	s.analyze(z, n, m, rank)
	for rank > 0 && s.values[rank-1] <= roundingShare*math.Max(s.values[0], 0x1p-1022) {
		rank--
	}
	return rank
}

// tangents is rank for centred rows, with vectors that are orthogonalised to the constants: a vector of a small
// singular value is orthogonal to them only up to the rounding error of the largest singular value, relative to its own.
func (s *leftSpectrum) tangents(z []float64, n, m, most int) int {
	rank := s.rank(z, n, m, most)
	for j := range rank {
		u := s.vectors[j*n : j*n+n]
		mean := vector.Sum(u) / float64(n)
		for a := range u {
			u[a] -= mean
		}
		vector.Normalize(u)
	}
	return rank
}

// narrow works in the m × m matrix GᵀG: u = Ge/‖Ge‖. It declines if a requested vector
// belongs to a singular value at rounding level.
func (s *leftSpectrum) narrow(g []float64, p, m, vectors int) bool {
	c := s.gram[:m*m]
	clear(c)
	for a := range p {
		if s.stop != nil && s.stop() {
			break
		}
		row := g[a*m : a*m+m]
		for i, v := range row {
			for j, w := range row[:i+1] {
				c[i*m+j] += v * w
			}
		}
	}
	for i := range m {
		for j := range i {
			c[j*m+i] = c[i*m+j]
		}
	}
	blas.SymEigSmallUntil(s.stop, m, c, s.ascending[:m], vectors != 0, s.scratch)
	clear(s.values[:p])
	for j := range m {
		s.values[j] = max(s.ascending[m-1-j], 0)
	}
	if vectors > m || vectors > 0 && s.values[vectors-1] <= roundingShare*s.values[0] {
		return false
	}
	for j := range vectors {
		u, e := s.vectors[j*p:j*p+p], c[(m-1-j)*m:(m-j)*m]
		for a := range p {
			u[a] = blas.Dot(g[a*m:a*m+m], e)
		}
		for i := range j {
			v := s.vectors[i*p : i*p+p]
			blas.Axpy(-blas.Dot(v, u), v, u)
		}
		vector.Normalize(u)
	}
	return true
}
