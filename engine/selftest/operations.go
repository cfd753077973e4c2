package selftest

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/solvers/projections"
	"github.com/orthant-go/orthant/sparse"
)

// operations are the functions under test. The checks call them only through this table,
// so the package's own tests can replace any of them by a broken one.
type operations struct {
	gemm      func(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int)
	syrk      func(trans bool, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int)
	gemv      func(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64)
	single    func(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int)
	squares32 func(x, rows []float32, at []int32, out []float32)
	dots32    func(x, rows []float32, at []int32, out []float32)
	mulCSR    func(lo, hi int, ptr []int, col []int32, val, x, y []float64)
	mulBlock  func(w, lo, hi int, ptr []int, col []int32, val, x, y []float64)
	mulSigned func(w, lo, hi, n int, c []float64, ldc int, packed, a, b, scratch []float64)
	grams     func(w, lo, hi int, u, a, b, g []float64)
	codes     func(c *blas.Codes, a, rows, b, cols int, out []int32, ld int)

	dot      func(x, y []float64) float64
	axpy     func(a float64, x, y []float64)
	distance func(x, y []float64) float64
	exp      func(dst, x []float64)
	subtract func(lanes, width, count int, l []float64, ld int, top, b []float64, rows []int32)
	spread   func(lanes, width, count int, l []float64, ld int, top, b []float64, rows []int32)

	gauss     func(c float64, x, t, p, u, v []float64)
	quotients func(dst []float64, floor float64, x, t []float64)
	ratios    func(y []float64, floor, least float64, num, den []float64)
	panel     func(w, cols, lo, hi int, u, a, b, la, lb, floor []float64, moved *[4]float64)
	quartic   func(w, cols, lo, hi int, u, a, b, m, s, floor []float64, alpha float64, moved *[4]float64)

	scan        func(mask []uint64, g, h, r []float64, c, t float64) bool
	scan32      func(mask []uint64, g, h, r []float32, c, t float32) bool
	scanCodes   func(mask []uint64, g, h, r []int32, c, t int32) bool
	scanSquares func(mask []uint64, g, h, r []float64, c, t float64) bool
	gather      func(at []int32, length, rows, best []float64)
	scatter     func(at []int32, length, from, rows []float64)
	mark        func(at []int32, length, from, rows []float64, mark []bool)
	fixed       func(f blas.Fixed40s, at int, values []float64)

	symEig        func(n int, a []float64, lda int, w []float64, work *blas.Work) error
	symEigRange   func(n, lo, hi int, a []float64, lda int, w, z []float64, ldz int, work *blas.Work) error
	symEigLargest func(n, count int, a, w, z []float64, work *blas.Work) error
	symEigSmall   func(n int, a, w []float64, vectors bool, scratch []float64) bool
	svd           func(m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work *blas.Work) error
	cholesky      func(n int, a []float64, lda int) bool
	choleskySmall func(n int, a []float64) bool

	factorise func(ctx context.Context, a mat.Matrix, shift float64, o sparse.CholeskyOptions) (*sparse.Cholesky, error)
	solve     func(c *sparse.Cholesky, x []float64, nrhs int) error
	logDet    func(c *sparse.Cholesky) (float64, error)
	paths     func(ctx context.Context, graph mat.Matrix, sources []int, o sparse.PathOptions) (*mat.Dense, error)

	smallest  func(ctx context.Context, matrix mat.Matrix, null [][]float64, count int, o eigen.Options) (*eigen.Eigen, error)
	nmfStep   func(ctx context.Context, d nmf.Data, o nmf.Options) (*nmf.Result, error)
	simplex   func(dst, v []float64, s float64) float64
	nearest   func(ctx context.Context, x neighbors.Points, k int, o neighbors.Options) (*neighbors.Graph, error)
	readAgain func(path string, o files.Options) (*mat.Dense, error)
}

// shipped returns the operations of the program with the given kernels.
func shipped(k *blas.Kernels) *operations {
	return &operations{
		gemm: k.Gemm, syrk: k.Syrk, gemv: k.Gemv, single: blas.MulTransposed32,
		squares32: blas.GatheredSquares32, dots32: blas.GatheredDots32,
		mulCSR: blas.MulCSR, mulBlock: blas.MulCSRBlock, mulSigned: blas.MulSigned, grams: blas.PanelGrams, codes: (*blas.Codes).Products,
		dot: blas.Dot, axpy: blas.Axpy, distance: blas.SquaredDistance, exp: blas.Exp, subtract: blas.SubtractRows, spread: blas.SpreadRows,
		gauss: blas.GaussWeights, quotients: blas.Quotients, ratios: blas.MultiplyRatios, panel: blas.PanelRatio, quartic: blas.PanelQuartic,
		scan: blas.Candidates, scan32: blas.Candidates32, scanCodes: blas.CandidateCodes, scanSquares: blas.CandidatesSquared,
		gather: blas.ShortenGather, scatter: blas.ShortenScatter, mark: blas.ShortenMark, fixed: blas.Fixed40s.Read,
		symEig: k.SymEig, symEigRange: k.SymEigRange, symEigLargest: blas.SymEigLargest, symEigSmall: blas.SymEigSmall,
		svd: k.SVD, cholesky: k.Cholesky, choleskySmall: blas.CholeskySmall,
		factorise: sparse.NewCholesky, solve: (*sparse.Cholesky).Solve, logDet: (*sparse.Cholesky).LogDet, paths: sparse.ShortestPaths,
		smallest: eigen.Smallest, nmfStep: nmf.Factorize, simplex: projections.Simplex, nearest: neighbors.Exact, readAgain: files.ReadMatrix,
	}
}
