// Package sparse holds compressed matrices and the operations on them: products
// with vectors and blocks, the scatter-add of patches into an alignment matrix,
// fill-reducing orderings, the Cholesky factorisation behind the
// eigensolvers, and LDLᵀ for matrices that are not definite. It knows nothing of data sets.
//
// [CSR] is the storage: one matrix, rows in order, columns ascending and
// distinct within a row, 32-bit column indices because the products are bound
// by memory.
//
// [MinimumDegree] and [NestedDissection] order a matrix for factorisation,
// [Analyze] and [AnalyzeOrdered] work out its factor's structure, and
// [Analysis.Factor] computes it.
//
// [NewCholesky] is both steps in one object, with solutions, the determinant, and new
// values for the same pattern. [NewLDLT] is the same for matrices that are not definite, and counts
// their eigenvalues by sign. Both multiply by L and its inverse ([Cholesky.Apply]) and compute the entries of the inverse at
// the places of L ([Cholesky.InverseDiagonal]); [Cholesky.UpdateRank] adds vectors to the matrix, or subtracts them.
//
// [ShortestPaths] finds the lengths of shortest paths through a graph and [Components] its
// connected components; [Paths] prepares a graph for any number of searches.
//
// [Of] takes any sparse matrix in Go, including the types of github.com/james-bowman/sparse,
// and [CSR.Storage] gives one back in that package's type.
package sparse
