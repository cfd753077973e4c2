package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// leftSpectrum finds the leading left singular vectors of small matrices,
// from whichever Gram matrix is the smaller. It is one worker's scratch.
type leftSpectrum struct {
	kernels *blas.Kernels
	values  []float64 // squared singular values, descending, one for each row
	vectors []float64 // vectors[j·p : (j+1)·p] is the j-th left singular vector

	gram, ascending, scratch []float64

	stop func() bool // which ends the work, without a result; nil: nothing does
}

func newLeftSpectrum(kernels *blas.Kernels, rows int) *leftSpectrum {
	return &leftSpectrum{
		kernels: kernels,
		values:  make([]float64, rows), vectors: make([]float64, rows*rows),
		gram: make([]float64, rows*rows), ascending: make([]float64, rows), scratch: make([]float64, 2*rows),
	}
}

// roundingShare: a Gram matrix knows squared singular values to about this
// share of the largest; a direction below it is not determined by them.
const roundingShare = 1e-14

// analyze decomposes the p × m matrix g (row-major). values are all p squared singular
// values; the leading `vectors` of them get their vectors. vectors = 0 asks for
// values alone, vectors < 0 for a full orthonormal basis.
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
			s.values[j] = 0 // known, where the eigensolver sees rounding
		}
	}
	if vectors != 0 {
		for j := range p {
			copy(s.vectors[j*p:j*p+p], s.gram[(p-1-j)*p:(p-j)*p])
		}
	}
}

// rank analyses the n × m matrix z of centred rows for its leading vectors, at
// most `most`, and returns how many there are. Directions whose singular value is
// at rounding level are left out: a computed null vector need not be orthogonal
// to the constants.
func (s *leftSpectrum) rank(z []float64, n, m, most int) int {
	rank := min(most, n, m)
	s.analyze(z, n, m, rank)
	for rank > 0 && s.values[rank-1] <= roundingShare*math.Max(s.values[0], 0x1p-1022) {
		rank--
	}
	return rank
}

// tangents is rank for rows that are centred, whose vectors are made orthogonal to the constants:
// one of a small singular value is so only to the rounding of the largest one over it.
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

// narrow works in the m × m matrix GᵀG: u = Ge/‖Ge‖. It declines where one of
// the vectors asked for belongs to a singular value at rounding level.
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
