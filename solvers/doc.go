// Package solvers computes the coordinates: eigenpairs of alignment matrices, and
// nonnegative factors. [KMeans] partitions points, and [AffineLasso] writes a point as a
// sparse affine combination of others. The package works on matrices and operators, and
// does not know data sets.
//
// Sparse codes of a sample by others are exact, by active sets: [RobustLasso] tolerates
// outlying coordinates, [AffineCoder] has weights that sum to 1, and [ElasticNet] only
// needs the Gram matrix ([LeaveOneOut] gives it a start). Each reports how exact its result is.
//
// [Smallest] is the entry point for sparse symmetric problems. It deflates the
// null vectors that the caller knows. It takes a dense solver if the matrix is
// small or most of its spectrum is asked for, and otherwise shift-invert Lanczos
// with a sparse Cholesky factor. [Pencil] is the same with a mass matrix, and also
// finds the pairs nearest to a shift inside the spectrum ([Pencil.Nearest]) and all pairs
// of an interval ([Pencil.Between]), with an LDLᵀ factor. Every pair comes with its residual:
//
//	e, err := solvers.Smallest(ctx, phi, [][]float64{ones}, 2, solvers.Options{Kernels: kernels})
//	e.Values, e.Next, e.Residuals, e.Vectors
//
// [Largest] is the same for the other end of the spectrum of a symmetric operator that
// is only known by its products; [Upper] stores a dense one.
//
// [Maximize] finds nonnegative factors, max tr(UᵀCU) under U ≥ 0, UᵀU = I, by projected
// gradients or multiplicative updates with a [Signed] operator. [FitNMMS] finds those of
// nonnegative multidimensional scaling. [Round] makes the result of both exactly feasible.
package solvers
