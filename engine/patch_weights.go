package engine

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// reconstruction is the patch of locally linear embedding: (e − w)(e − w)ᵀ for
// the one vector w of weights that best writes a point by its neighbours.
type reconstruction struct{ gamma float64 }

func (reconstruction) sets(g *neighbors.Graph) ([]int, []int32) { return withSelf(g) }

func (r reconstruction) begin(p *problem) (func() patchFunc, error) {
	return func() patchFunc {
		k := p.graph.MaxDegree()
		weights := newWeightSolver(p.kernels, k, r.gamma)
		g := make([]float64, k*p.x.M)
		return func(i int, dst []float64) {
			list := p.graph.Of(i)
			differences(p.x, i, list, g)
			rankOne(weights.of(g, len(list), p.x.M), dst)
		}
	}, nil
}

// rankOne writes the lower triangle of vvᵀ for v = (w; −1), the neighbours first
// and then the point.
func rankOne(w, dst []float64) {
	at := 0
	for a, wa := range w {
		for _, wb := range w[:a+1] {
			dst[at] = wa * wb
			at++
		}
	}
	for b, wb := range w {
		dst[at+b] = -wb
	}
	dst[at+len(w)] = 1
}

// weightSolver solves for barycentric weights; it is one worker's scratch.
type weightSolver struct {
	kernels  *blas.Kernels
	gamma    float64
	gram, l  []float64
	w        []float64
	spectrum *leftSpectrum
}

func newWeightSolver(kernels *blas.Kernels, k int, gamma float64) *weightSolver {
	return &weightSolver{kernels: kernels, gamma: gamma, gram: make([]float64, k*k), l: make([]float64, k*k), w: make([]float64, k), spectrum: newLeftSpectrum(kernels, k)}
}

// of returns the weights, summing to 1, for the k rows of differences g:
//
//	(C + γ·tr(C)·I) y = 1,   w = y/(1ᵀy),   C = GGᵀ
//
// and 1/k each where all neighbours coincide with the point. The regulariser is
// γ times the trace, not divided by k.
func (s *weightSolver) of(g []float64, k, m int) []float64 {
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
func (s *weightSolver) spectral(g []float64, k, m int, trace float64) {
	s.spectrum.of(g, k, m, -1)
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
