package solve

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/solvers/nonnegative"
)

// autoAlpha, times the square of the largest eigenvalue, is the default weight of the
// penalty in nonnegative multidimensional scaling.
const autoAlpha = 0.1

// Scaling solves min ‖K − H·diag(s)·Hᵀ‖² for a Gram matrix K; coordinates are
// H·diag(√s). K is scaled internally to largest eigenvalue 1.
func (r Multiplicative) Scaling(in Input, a *align.Similarity) (*Solution, error) {
	n := in.X.N()
	k, err := r.scaled(in, a)
	if err != nil {
		return nil, err
	}
	start, err := r.start(in, k.target)
	if err != nil {
		return nil, err
	}
	o := r.options(in)
	if o.Alpha /= k.largest * k.largest; o.Alpha == 0 {
		o.Alpha = autoAlpha
	}
	o.Norm = 1
	in.Explain("solve: at most %d updates (%s) of %d × %d", o.Iterations, r.Update, n, r.Dim)
	ones := slices.Repeat([]float64{1}, r.Dim)
	found, err := nonnegative.FitNMMS(in.Context(), k.operator, k.square, r.Dim, start, ones, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Method(), err)
	}
	s := iterated(in, found, o.Iterations, run.Fourth, k.largest*k.largest)
	h, weights := found.U, found.S
	if r.Round {
		rounded, err := r.rounded(in, k.operator, found, s)
		if err != nil {
			return nil, err
		}
		h = rounded.U
		// With HᵀH = I the best weights are the positive part of diag(HᵀKH).
		left := k.square
		for q, v := range rounded.Values {
			weights[q] = max(v, 0)
			left -= weights[q] * weights[q]
		}
		run.Measure(in.Run, "rounded_objective", run.Fourth, left*k.largest*k.largest)
	}
	for i := range s.Objective {
		s.Objective[i] *= k.largest * k.largest
	}
	run.Measure(in.Run, "squared_norm", run.Fourth, k.square*k.largest*k.largest)
	blas.Scale(k.largest, weights)
	run.MeasureAll(in.Run, "s", run.Square, weights)
	s.Y = mat.NewDense(n, r.Dim, h)
	for i := range n {
		row := s.Y.RawRowView(i)
		for q, w := range weights {
			row[q] *= math.Sqrt(w)
		}
	}
	return s, in.Err()
}

// scaledGram is K divided by its largest eigenvalue.
type scaledGram struct {
	target
	operator nonnegative.Signed
	largest  float64
	square   float64 // ‖K‖²_F after scaling
}

func (r Multiplicative) scaled(in Input, a *align.Similarity) (*scaledGram, error) {
	k := &scaledGram{}
	n, m := in.X.N(), in.X.M()
	entries := smallerGram(in, a)
	order := int(math.Sqrt(float64(len(entries))))
	_, high, err := r.spectrum(in, target{order: order, q: entries})
	if err != nil {
		return nil, err
	}
	if !(high > 0) || in.X.AllEqual() {
		return nil, nothingToEmbed(in)
	}
	k.largest = high
	for i := range order {
		row := entries[i*order : (i+1)*order]
		k.square += blas.Dot(row, row) / (high * high)
	}
	k.order = n
	if a.K != nil {
		blas.Scale(1/high, a.K)
		k.q = a.K
		k.operator, err = nonnegative.SignedDense(n, a.K, false, 0)
		return k, err
	}
	blas.Scale(1/math.Sqrt(high), a.Centered)
	k.factor = a.Centered
	if r.Update == nonnegative.UpdateGradient && !r.Round {
		k.operator, err = nonnegative.PlainGram(in.Kernels(), n, m, a.Centered)
		return k, err
	}
	k.operator, err = nonnegative.SignedGram(in.Kernels(), n, m, a.Centered)
	return k, err
}

// smallerGram returns K if it is stored, otherwise XcᵀXc, which has the same nonzero
// eigenvalues and the same norm.
func smallerGram(in Input, a *align.Similarity) []float64 {
	if a.K != nil {
		return a.K
	}
	return align.GramOf(in.Run, a.Centered, in.X.N(), in.X.M(), true)
}
