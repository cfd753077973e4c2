// Package eigen finds eigenpairs and singular triplets of symmetric matrices, pencils and
// operators. Every pair comes with its residual.
//
// [Smallest] is the entry point for sparse symmetric problems. It deflates the
// null vectors that the caller knows. It takes a dense solver if the matrix is
// small or most of its spectrum is requested, and otherwise shift-invert Lanczos
// with a sparse Cholesky factor. [Pencil] is the same with a mass matrix, and also
// finds the pairs nearest to a shift inside the spectrum ([Pencil.Nearest]) and all pairs
// of an interval ([Pencil.Between]), with an LDLᵀ factor:
//
//	e, err := eigen.Smallest(ctx, phi, [][]float64{ones}, 2, eigen.Options{Kernels: kernels})
//	e.Values, e.Next, e.Residuals, e.Vectors
//
// [Largest] is the same for the other end of the spectrum of a symmetric operator that
// is only known by its products; [Upper] stores a dense one. [SVD] finds the largest
// singular triplets.
package eigen
