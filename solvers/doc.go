// Package solvers computes the coordinates: eigenpairs of alignment matrices, and
// nonnegative factors. [KMeans] partitions points, and [AffineLasso] writes a point as a
// sparse affine combination of others. The solvers work on matrices and operators, and
// do not know data sets.
//
// This package has their public names. The solvers are in packages of their own: [eigen],
// [nonnegative], [kmeans] and [lasso].
//
//	e, err := solvers.Smallest(ctx, phi, [][]float64{ones}, 2, solvers.Options{Kernels: kernels})
//	e.Values, e.Next, e.Residuals, e.Vectors
package solvers
