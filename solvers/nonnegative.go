package solvers

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nonnegative"
	"github.com/orthant-go/orthant/sparse"
)

// Updates are the rules by which [Maximize] and [FitNMMS] step.
const (
	UpdatePaper    = nonnegative.UpdatePaper
	UpdatePenalty  = nonnegative.UpdatePenalty
	UpdateGradient = nonnegative.UpdateGradient
)

// Multiplicative are the options of [Maximize] and [FitNMMS]: [nonnegative.Multiplicative].
type Multiplicative = nonnegative.Multiplicative

// Nonnegative is what an iteration found: [nonnegative.Nonnegative].
type Nonnegative = nonnegative.Nonnegative

// Maximize looks for max tr(UᵀCU) under U ≥ 0, UᵀU = I from the n × p start u:
// [nonnegative.Maximize].
func Maximize(ctx context.Context, c Signed, p int, u []float64, o Multiplicative) (*Nonnegative, error) {
	return nonnegative.Maximize(ctx, c, p, u, o)
}

// FitNMMS looks for min ‖K − H·diag(s)·Hᵀ‖²_F under H ≥ 0, s ≥ 0, HᵀH = I, the problem of
// nonnegative multidimensional scaling: [nonnegative.FitNMMS].
func FitNMMS(ctx context.Context, k Signed, square float64, p int, h, s []float64, o Multiplicative) (*Nonnegative, error) {
	return nonnegative.FitNMMS(ctx, k, square, p, h, s, o)
}

// Rounded is an exactly feasible U: [nonnegative.Rounded].
type Rounded = nonnegative.Rounded

// Round makes a nonnegative n × p matrix exactly feasible for [Maximize]:
// [nonnegative.Round].
func Round(ctx context.Context, c Signed, p int, u []float64, threads int, seed uint64) (*Rounded, error) {
	return nonnegative.Round(ctx, c, p, u, threads, seed)
}

// Signed is a symmetric n × n matrix C = ±M + σI that is applied apart by the sign of its
// entries: [nonnegative.Signed].
type Signed = nonnegative.Signed

// SignedDense is σI + M, or σI − M where negated, for a symmetric row-major n × n matrix:
// [nonnegative.SignedDense].
func SignedDense(n int, m []float64, negated bool, sigma float64) (Signed, error) {
	return nonnegative.SignedDense(n, m, negated, sigma)
}

// SignedSparse is σI + M, or σI − M where negated, for a symmetric matrix in compressed rows:
// [nonnegative.SignedSparse].
func SignedSparse(m *sparse.CSR, negated bool, sigma float64) (Signed, error) {
	return nonnegative.SignedSparse(m, negated, sigma)
}

// SignedGram is K = XXᵀ for the n × features matrix x, of an order at which K does not fit:
// [nonnegative.SignedGram].
func SignedGram(kernels *blas.Kernels, n, features int, x []float64) (Signed, error) {
	return nonnegative.SignedGram(kernels, n, features, x)
}

// PlainGram is K = XXᵀ for the n × features matrix x, for the update "gradient" alone:
// [nonnegative.PlainGram].
func PlainGram(kernels *blas.Kernels, n, features int, x []float64) (Signed, error) {
	return nonnegative.PlainGram(kernels, n, features, x)
}
