package solvers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// Options of an eigensolver: [eigen.Options].
type Options = eigen.Options

// Plan says which eigensolver was chosen and what it will cost: [eigen.Plan].
type Plan = eigen.Plan

// Eigen holds the eigenpairs found, ascending: [eigen.Eigen].
type Eigen = eigen.Eigen

// MemoryError is the refusal of a plan that would exceed [Options.Memory]: [eigen.MemoryError].
type MemoryError = eigen.MemoryError

// RoundingLevel times |A| is the size under which rounding in the stored matrix A shows in an
// eigenvalue: [eigen.RoundingLevel].
const RoundingLevel = eigen.RoundingLevel

// Smallest finds the count smallest eigenpairs of a symmetric positive semidefinite matrix on
// the complement of the null vectors given: [eigen.Smallest].
func Smallest(ctx context.Context, matrix mat.Matrix, null [][]float64, count int, o Options) (*Eigen, error) {
	return eigen.Smallest(ctx, matrix, null, count, o)
}

// Pencil is the symmetric eigenproblem A·x = λM·x: [eigen.Pencil].
type Pencil = eigen.Pencil

// BelowSigmaError says that an eigenvalue lies below the shift, where the smallest above it
// are requested: [eigen.BelowSigmaError].
type BelowSigmaError = eigen.BelowSigmaError

// IntervalError says that an interval holds more eigenpairs than fit into [Options.Memory]:
// [eigen.IntervalError].
type IntervalError = eigen.IntervalError

// Operator is a symmetric matrix that is known by its products: [eigen.Operator].
type Operator = eigen.Operator

// Largest finds the count largest eigenpairs of a symmetric operator, descending:
// [eigen.Largest].
func Largest(ctx context.Context, a Operator, count int, o Options) (*Eigen, error) {
	return eigen.Largest(ctx, a, count, o)
}

// LargestOf is [Largest] for a symmetric matrix, sparse or dense: [eigen.LargestOf].
func LargestOf(ctx context.Context, a mat.Matrix, count int, o Options) (*Eigen, error) {
	return eigen.LargestOf(ctx, a, count, o)
}

// Rectangular is a matrix that is known by its products: [eigen.Rectangular].
type Rectangular = eigen.Rectangular

// Singular holds the singular triplets found, descending: [eigen.Singular].
type Singular = eigen.Singular

// SVD finds the count largest singular triplets of a matrix, sparse or dense: [eigen.SVD].
func SVD(ctx context.Context, a mat.Matrix, count int, o Options) (*Singular, error) {
	return eigen.SVD(ctx, a, count, o)
}

// Generalized solves the small dense problem A·v = λB·v for its count smallest eigenvalues, A
// symmetric and B symmetric positive semidefinite: [eigen.Generalized].
func Generalized(kernels *blas.Kernels, n int, a, b []float64, count int) (values []float64, vectors [][]float64, rank int, err error) {
	return eigen.Generalized(kernels, n, a, b, count)
}

// SpectrumEnds estimates the smallest and the largest eigenvalue of a symmetric operator of
// order n: [eigen.SpectrumEnds].
func SpectrumEnds(ctx context.Context, n int, seed uint64, multiply func(x, y []float64)) (low, high float64, err error) {
	return eigen.SpectrumEnds(ctx, n, seed, multiply)
}

// RowBlocks is a matrix whose rows are made block by block, each time that they are needed:
// [eigen.RowBlocks].
type RowBlocks = eigen.RowBlocks

// BlocksOf divides a matrix into blocks of rows: [eigen.BlocksOf].
func BlocksOf(a *sparse.CSR, rows int) *RowBlocks { return eigen.BlocksOf(a, rows) }

// Upper is a full symmetric matrix of which little more than the upper triangle is stored:
// [eigen.Upper].
type Upper = eigen.Upper

// UpperPanel is the number of rows of an [Upper] that begin at the same column.
const UpperPanel = eigen.UpperPanel

// NewUpper returns a zero matrix of order n: [eigen.NewUpper].
func NewUpper(n int) *Upper { return eigen.NewUpper(n) }

// NewFixedUpper returns a zero matrix of order n whose entries, in [0, most], are rounded to
// multiples of 2⁻³⁹·most: [eigen.NewFixedUpper].
func NewFixedUpper(n int, most float64) *Upper { return eigen.NewFixedUpper(n, most) }

// UpperBytes is the memory of an [Upper] of order n.
func UpperBytes(n int64) int64 { return eigen.UpperBytes(n) }

// FixedUpperBytes is the memory of an [Upper] of order n with rounded entries.
func FixedUpperBytes(n int64) int64 { return eigen.FixedUpperBytes(n) }

// Triangularize makes w vectors orthonormal in place and writes the triangle of their
// coefficients: [eigen.Triangularize].
func Triangularize(q [][]float64, r []float64) { eigen.Triangularize(q, r) }

// JacobiSVD finds the singular values, ascending, and the right singular vectors of a w × w
// matrix by one-sided Jacobi rotations: [eigen.JacobiSVD].
func JacobiSVD(a []float64, w int) (singular, v []float64) { return eigen.JacobiSVD(a, w) }

// FormatBytes prints a size in binary units.
func FormatBytes(b int64) string { return limits.FormatBytes(b) }
