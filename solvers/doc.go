// Package solvers finds the coordinates: eigenpairs of alignment matrices, and
// (as methods need them) the iterations for nonnegative factors. [KMeans]
// partitions points, and [AffineLasso] reconstructs one as a sparse affine combination
// of others. It knows matrices and operators, nothing of data sets.
//
// Sparse codes, of one sample by others, are exact by active sets: [RobustLasso]
// forgives outlying coordinates, [AffineCoder] has weights that sum to 1, and
// [ElasticNet] needs the Gram matrix alone ([LeaveOneOut] begins it). Each reports what it could not solve to
// the end.
//
// [Smallest] is the entry point for sparse symmetric problems. It deflates the
// null vectors that the caller knows, takes a dense solver where the matrix is
// small or most of its spectrum is asked for, and otherwise shift-invert Lanczos
// over a sparse Cholesky factor. Every pair comes back with its residual:
//
//	e, err := solvers.Smallest(ctx, phi, [][]float64{ones}, 2, solvers.Options{Kernels: kernels})
//	e.Values, e.Next, e.Residuals, e.Vectors
//
// [Largest] is the same for the other end of the spectrum of a dense symmetric
// matrix that is known by its products, for which [Upper] is a storage.
//
// [Maximize] finds nonnegative factors, max tr(UᵀCU) under U ≥ 0, UᵀU = I, by
// multiplicative updates over a [Signed] operator, [FitNMMS] those of
// nonnegative multidimensional scaling; [Round] makes either exactly feasible.
package solvers
