package solvers

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/lasso"
)

// AffineLasso solves the affine-constrained weighted lasso: [lasso.AffineLasso].
type AffineLasso = lasso.AffineLasso

// NewAffineLasso returns a solver that takes its products from the kernels:
// [lasso.NewAffineLasso].
func NewAffineLasso(kernels *blas.Kernels) *AffineLasso { return lasso.NewAffineLasso(kernels) }

// AffineCoder reconstructs a sample from others with weights that sum to 1, by a linear
// programme: [lasso.AffineCoder].
type AffineCoder = lasso.AffineCoder

// AffineReport says how exact a code is: [lasso.AffineReport].
type AffineReport = lasso.AffineReport

// DictionaryLasso solves the lasso of a point over the rows of a dictionary, by their inner
// products alone: [lasso.DictionaryLasso].
type DictionaryLasso = lasso.DictionaryLasso

// NewDictionaryLasso returns a solver that takes its products from the kernels:
// [lasso.NewDictionaryLasso].
func NewDictionaryLasso(kernels *blas.Kernels) *DictionaryLasso {
	return lasso.NewDictionaryLasso(kernels)
}

// ElasticNet reconstructs one of n samples from the others: [lasso.ElasticNet].
type ElasticNet = lasso.ElasticNet

// NewElasticNet returns a solver with the weights ℓ2 and ℓ1 that takes its products from the
// kernels: [lasso.NewElasticNet].
func NewElasticNet(kernels *blas.Kernels, ridge, sparse float64) *ElasticNet {
	return lasso.NewElasticNet(kernels, ridge, sparse)
}

// LeaveOneOut reconstructs each of n samples from all others in ridge regression:
// [lasso.LeaveOneOut].
func LeaveOneOut(ctx context.Context, kernels *blas.Kernels, threads int, gram []float64, n int, ridge float64) ([]float64, error) {
	return lasso.LeaveOneOut(ctx, kernels, threads, gram, n, ridge)
}

// RobustLasso reconstructs a sample from others, sparsely and smoothly along their order, and
// forgives single coordinates that do not fit: [lasso.RobustLasso].
type RobustLasso = lasso.RobustLasso

// NewRobustLasso returns a solver with the parameters ξ1 and ξ2 that takes its products from
// the kernels: [lasso.NewRobustLasso].
func NewRobustLasso(kernels *blas.Kernels, smooth, sparse float64) *RobustLasso {
	return lasso.NewRobustLasso(kernels, smooth, sparse)
}

// LassoReport says how a code was found: [lasso.LassoReport].
type LassoReport = lasso.LassoReport
