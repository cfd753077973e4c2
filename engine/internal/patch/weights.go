package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// WeightSolver solves for barycentric weights. It is the scratch of one worker.
type WeightSolver struct {
	Regularization
	kernels  *blas.Kernels
	gram, l  []float64
	w        []float64
	spectrum *leftSpectrum
	stop     func() bool // nil: never
}

// NewWeightSolver returns a solver for up to k neighbours.
func NewWeightSolver(kernels *blas.Kernels, k int, r Regularization) *WeightSolver {
	return &WeightSolver{
		Regularization: r, kernels: kernels,
		gram: make([]float64, k*k), l: make([]float64, k*k), w: make([]float64, k), spectrum: newLeftSpectrum(kernels, k),
	}
}

// Until makes the solver stop when stop returns true: weights of thousands of neighbours take
// seconds. The weights are then meaningless.
func (s *WeightSolver) Until(stop func() bool) *WeightSolver {
	s.stop, s.spectrum.stop = stop, stop
	return s
}

func (s *WeightSolver) stopped() bool { return s.stop != nil && s.stop() }

// Solve returns the weights, summing to 1, for the k rows of differences g:
//
//	(C + γ·tr(C)·I) y = 1,   w = y/(1ᵀy),   C = GGᵀ
//
// and 1/k each if all neighbours coincide with the sample. The regulariser is
// γ times the trace, not divided by k. The terms of y along the requested tangents
// are scaled by the clarity of the neighbourhood's tangent plane.
func (s *WeightSolver) Solve(g []float64, k, m int) []float64 { return s.solve(g, k, m, nil) }

// solve is Solve; the spectrum of g may be known, with a vector for each tangent.
func (s *WeightSolver) solve(g []float64, k, m int, known *leftSpectrum) []float64 {
	c, w := s.gram[:k*k], s.w[:k]
	trace := s.multiply(g, k, m)
	if !(trace >= minTrace && trace <= maxTrace) {
		// Weights have no unit: division of the differences by a power of two does not change them.
		if _, largest := magnitude.Largest(g[:k*m]); largest > 0 {
			g, known = magnitude.Scaled(-magnitude.Exponent(largest), g[:k*m]), nil
			for at, v := range g { // compared with entries near 1 they are far below rounding
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

// Bounds on the traces of Gram matrices whose squares neither overflow nor underflow.
const (
	minTrace = 0x1p-400
	maxTrace = 0x1p400
	// vanishing is the size below which entries count as zeros compared with others near 1, so that no
	// product of four underflows.
	vanishing = 0x1p-200
)

// multiply computes C = GGᵀ, and returns its trace.
func (s *WeightSolver) multiply(g []float64, k, m int) (trace float64) {
	c := s.gram[:k*k]
	gramOf(s.kernels, s.stop, g, k, m, c)
	for a := range k {
		trace += c[a*k+a]
	}
	return trace
}

// scaleTangents scales the terms of y along the d leading directions of the spectrum by
// the clarity of the tangent plane. They are left as they are if 1 lies in that plane, because the rest
// of y could then not be normalised to sum to 1.
func (s *WeightSolver) scaleTangents(spectrum *leftSpectrum, k, d int, shift float64) {
	keep := clarity(spectralGap(spectrum.values[:k], d))
	if keep == 1 {
		return
	}
	off := float64(k) // ‖1‖² minus the squares of its components along the tangents
	for j := range d {
		along := vector.Sum(spectrum.vectors[j*k : j*k+k])
		off -= along * along
	}
	if off <= minOff*float64(k) {
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

// gramOf computes C = GGᵀ of the k × m matrix g. It returns early once stop returns true, which is called
// between products of about a second; nil: never.
func gramOf(kernels *blas.Kernels, stop func() bool, g []float64, k, m int, c []float64) {
	rows := max(1, int(min(float64(k), 0x1p32/float64(k*m))))
	for lo := 0; lo < k && (stop == nil || !stop()); lo += rows {
		kernels.Gemm(false, true, min(rows, k-lo), k, m, 1, g[lo*m:], m, g, m, 0, c[lo*k:], k)
	}
}

// Regularization describes how barycentric weights are regularised: by γ times the trace of
// the local Gram matrix. That alone lets every weight vector miss the tangent plane by
// about γ of the neighbourhood's radius. The energy of this miss, γ²h²‖∇f‖², exceeds
// the energy of the first bending of a sheet, h⁴‖∇²f‖², if the samples are dense. Auto
// therefore removes the terms along the tangent plane from the weights if the local
// spectrum shows one (docs/weights.md).
type Regularization struct {
	Gamma    float64 // γ
	Tangents int     // d, the tangents that a neighbourhood is examined for; 0: none, all directions are regularised equally
}

// Regularized returns the regularisation of all directions by the same γ, or, for γ = 0, auto in d
// dimensions.
func Regularized(gamma float64, dim int) Regularization {
	if gamma > 0 {
		return Regularization{Gamma: gamma}
	}
	return Regularization{Gamma: PaperGamma, Tangents: dim}
}

const (
	// PaperGamma is the γ of the papers and of other programs. Auto takes no larger one.
	PaperGamma = 1e-3
	// clearGap is the gap below which a neighbourhood shows its tangent plane: the terms
	// along it are scaled by gap/clearGap. The gap of neighbourhoods of wide data is far larger.
	clearGap = 0.1
	// minGamma bounds an automatic γ from below: for smaller γ rounding determines the weights.
	minGamma = 1e-9
	// minOff is the smallest share of 1 outside the tangents for which the rest makes weights.
	minOff = 1e-6
)

// spectralGap measures how unclear the first d directions of a local spectrum λ (descending)
// are as a tangent plane,
//
//	g = Σ_{j>d}λⱼ/λ_d · (λ₁/λ_d)²,
//
// the variance outside the plane divided by its smallest variance, and larger if the smallest is small
// relative to the largest, as for the curvature of fewer dimensions. On a sheet of curvature
// κ it is about (κh)² for the radius h; without a gap it is 1 or more.
func spectralGap(lambda []float64, d int) float64 {
	first, last := lambda[0], lambda[d-1]
	if last <= roundingShare*first {
		return math.Inf(1)
	}
	return vector.Sum(lambda[d:]) / last * (first / last) * (first / last)
}

// clarity returns the factor of the terms along the tangents: 0 for an exact tangent plane,
// 1 if there is none.
func clarity(gap float64) float64 { return math.Min(1, gap/clearGap) }

// canBeClear rejects most spectra without a gap by their trace and by the sum of their
// squares: if spectralGap is below clearGap, the first d of k eigenvalues hold at least 1 − clearGap of the
// trace, and Σλ² is at least that share squared, divided by d.
func canBeClear(gram []float64, k, d int, trace float64) bool {
	share := (1 - clearGap) * trace
	return blas.Dot(gram[:k*k], gram[:k*k])*float64(d) >= share*share
}

// within lowers γ to the median gap of the local spectra after d, which is about their tail
// share η: a larger γ would treat directions outside the tangent plane as noise.
// lambda has the spectra, one after the other as the lists of the graph. A given γ is
// kept.
func (r Regularization) within(in Local, lambda []float64) Regularization {
	if r.Tangents == 0 {
		return r
	}
	g := in.Graph
	gaps := make([]float64, 0, g.Len())
	for i := range g.Len() {
		if own := lambda[g.Ptr[i]:g.Ptr[i+1]]; r.Tangents < len(own) {
			gaps = append(gaps, spectralGap(own, r.Tangents))
		}
	}
	if len(gaps) > 0 || in.Others != nil { // others may have some
		if gap := in.median(gaps); !math.IsNaN(gap) {
			r.Gamma = min(r.Gamma, max(gap/float64(r.Tangents), minGamma))
		}
	}
	return r
}
