package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// WeightSolver solves for barycentric weights; it is one worker's scratch.
type WeightSolver struct {
	Regularization
	kernels  *blas.Kernels
	gram, l  []float64
	w        []float64
	spectrum *leftSpectrum
	stop     func() bool // nil: never
}

// NewWeightSolver makes a solver for up to k neighbours.
func NewWeightSolver(kernels *blas.Kernels, k int, r Regularization) *WeightSolver {
	return &WeightSolver{
		Regularization: r, kernels: kernels,
		gram: make([]float64, k*k), l: make([]float64, k*k), w: make([]float64, k), spectrum: newLeftSpectrum(kernels, k),
	}
}

// Until makes the solver give up once stop says so: of thousands of neighbours the weights take
// seconds. They mean nothing then.
func (s *WeightSolver) Until(stop func() bool) *WeightSolver {
	s.stop, s.spectrum.stop = stop, stop
	return s
}

func (s *WeightSolver) stopped() bool { return s.stop != nil && s.stop() }

// Solve returns the weights, summing to 1, for the k rows of differences g:
//
//	(C + γ·tr(C)·I) y = 1,   w = y/(1ᵀy),   C = GGᵀ
//
// and 1/k each where all neighbours coincide with the point. The regulariser is
// γ times the trace, not divided by k. The terms of y along the tangents that are asked
// for are scaled by the clarity of the neighbourhood's tangent plane.
func (s *WeightSolver) Solve(g []float64, k, m int) []float64 { return s.solve(g, k, m, nil) }

// solve is Solve, where the spectrum of g may be known with a vector for each tangent.
func (s *WeightSolver) solve(g []float64, k, m int, known *leftSpectrum) []float64 {
	c, w := s.gram[:k*k], s.w[:k]
	trace := s.multiply(g, k, m)
	if !(trace >= leastTrace && trace <= mostTrace) {
		// Weights have no unit: those of differences over a power of two are the same.
		if _, largest := magnitude.Largest(g[:k*m]); largest > 0 {
			g, known = magnitude.Scaled(-magnitude.Exponent(largest), g[:k*m]), nil
			for at, v := range g { // beside entries near 1 they are far below rounding
				if math.Abs(v) < vanishing {
					g[at] = 0
				}
			}
			trace = s.multiply(g, k, m)
		}
	}
	if trace == 0 || s.stopped() {
		for a := range w {
			w[a] = 1 / float64(k)
		}
		return w
	}
	shift := s.Gamma * trace
	l := s.l[:k*k]
	copy(l, c)
	for a := range k {
		l[a*k+a] += shift
		w[a] = 1
	}
	if blas.CholeskySmallUntil(s.stop, k, l) {
		blas.CholeskySolveSmall(k, l, w)
	} else {
		s.spectral(g, k, m, shift)
	}
	if s.stopped() {
		return w
	}
	if d := s.Tangents; d > 0 && d < k && canBeClear(c, k, d, trace) {
		if known == nil {
			known = s.spectrum
			known.analyze(g, k, m, d)
		}
		s.scaleTangents(known, k, d, shift)
	}
	var sum float64
	for _, v := range w {
		sum += v
	}
	blas.Scale(1/sum, w)
	return w
}

// The traces of Gram matrices whose squares neither overflow nor vanish.
const (
	leastTrace = 0x1p-400
	mostTrace  = 0x1p400
	// vanishing is the size below which entries beside those near 1 count as zeros, so that no
	// product of four vanishes.
	vanishing = 0x1p-200
)

// multiply is C = GGᵀ, and returns its trace.
func (s *WeightSolver) multiply(g []float64, k, m int) (trace float64) {
	c := s.gram[:k*k]
	gramOf(s.kernels, s.stop, g, k, m, c)
	for a := range k {
		trace += c[a*k+a]
	}
	return trace
}

// scaleTangents scales the terms of y along the d leading directions of the spectrum by
// the clarity of the tangent plane. They stay where 1 lies in that plane, as nothing else
// of y could then be made to sum to 1.
func (s *WeightSolver) scaleTangents(spectrum *leftSpectrum, k, d int, shift float64) {
	keep := clarity(spectralGap(spectrum.values[:k], d))
	if keep == 1 {
		return
	}
	off := float64(k) // ‖1‖² less the squares of its parts along the tangents
	for j := range d {
		along := vector.Sum(spectrum.vectors[j*k : j*k+k])
		off -= along * along
	}
	if off <= leastOff*float64(k) {
		return
	}
	for j := range d {
		v := spectrum.vectors[j*k : j*k+k]
		blas.Axpy(-(1-keep)*vector.Sum(v)/(spectrum.values[j]+shift), v, s.w[:k])
	}
}

// spectral solves the same system through the eigenvectors of C, for a γ so
// small that rounding leaves C + γ·tr(C)·I indefinite: y = Σ v(vᵀ1)/(λ + γ·tr C).
func (s *WeightSolver) spectral(g []float64, k, m int, shift float64) {
	s.spectrum.analyze(g, k, m, -1)
	clear(s.w[:k])
	for j := range k {
		v := s.spectrum.vectors[j*k : j*k+k]
		blas.Axpy(vector.Sum(v)/(s.spectrum.values[j]+shift), v, s.w[:k])
	}
}
