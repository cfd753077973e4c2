package patch

import "github.com/orthant-go/orthant/blas"

// WeightSolver solves for barycentric weights; it is one worker's scratch.
type WeightSolver struct {
	kernels  *blas.Kernels
	gamma    float64
	gram, l  []float64
	w        []float64
	spectrum *leftSpectrum
}

// NewWeightSolver makes a solver for up to k neighbours.
func NewWeightSolver(kernels *blas.Kernels, k int, gamma float64) *WeightSolver {
	return &WeightSolver{kernels: kernels, gamma: gamma, gram: make([]float64, k*k), l: make([]float64, k*k), w: make([]float64, k), spectrum: newLeftSpectrum(kernels, k)}
}

// Solve returns the weights, summing to 1, for the k rows of differences g:
//
//	(C + γ·tr(C)·I) y = 1,   w = y/(1ᵀy),   C = GGᵀ
//
// and 1/k each where all neighbours coincide with the point. The regulariser is
// γ times the trace, not divided by k.
func (s *WeightSolver) Solve(g []float64, k, m int) []float64 {
	c, w := s.gram[:k*k], s.w[:k]
	s.kernels.Gemm(false, true, k, k, m, 1, g, m, g, m, 0, c, k)
	var trace float64
	for a := range k {
		trace += c[a*k+a]
	}
	if trace == 0 {
		for a := range w {
			w[a] = 1 / float64(k)
		}
		return w
	}
	l := s.l[:k*k]
	copy(l, c)
	for a := range k {
		l[a*k+a] += s.gamma * trace
		w[a] = 1
	}
	if blas.CholeskySmall(k, l) {
		blas.CholeskySolveSmall(k, l, w)
	} else {
		s.spectral(g, k, m, trace)
	}
	var sum float64
	for _, v := range w {
		sum += v
	}
	blas.Scale(1/sum, w)
	return w
}

// spectral solves the same system through the eigenvectors of C, for a γ so
// small that rounding leaves C + γ·tr(C)·I indefinite: y = Σ v(vᵀ1)/(λ + γ·tr C).
func (s *WeightSolver) spectral(g []float64, k, m int, trace float64) {
	s.spectrum.analyze(g, k, m, -1)
	clear(s.w[:k])
	for j := range k {
		v := s.spectrum.vectors[j*k : j*k+k]
		var sum float64
		for _, x := range v {
			sum += x
		}
		blas.Axpy(sum/(s.spectrum.values[j]+s.gamma*trace), v, s.w[:k])
	}
}
