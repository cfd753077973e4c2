//go:build openblas && cgo

package blas

import (
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/netlib/blas/netlib"
	"gonum.org/v1/netlib/lapack/lapacke"

	"github.com/orthant-go/orthant/blas/internal/openblas"
)

// openblasBackend hands level 3 and LAPACK to OpenBLAS through netlib.
type openblasBackend struct{}

// inside bounds the calls under way at once: each may hold an OS thread and
// one of OpenBLAS's buffers.
var inside = make(chan struct{}, runtime.NumCPU())

var openblasLevel3 netlib.Implementation

func init() {
	// One thread a call: orthant spreads work itself, and OpenBLAS's own threads
	// run one job at a time and spin while they wait for it.
	openblas.SetThreads(1)
	libraryVersion = openblas.Version()
	registry = append(registry, candidate{name: "openblas", level3: openblasBackend{}, dense: openblasBackend{}})
}

func enter() { inside <- struct{}{} }
func leave() { <-inside }

func (openblasBackend) Name() string { return "openblas" }

func (openblasBackend) Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	enter()
	defer leave()
	openblasLevel3.Dgemm(transpose(tA), transpose(tB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (openblasBackend) Syrk(trans bool, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	enter()
	defer leave()
	openblasLevel3.Dsyrk(blas.Upper, transpose(trans), n, k, alpha, a, lda, beta, c, ldc)
}

func (openblasBackend) Gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	enter()
	defer leave()
	openblasLevel3.Dgemv(transpose(trans), m, n, alpha, a, lda, x, 1, beta, y, 1)
}

// The binding calls LAPACKE in row-major order, which costs a transposed copy
// in and out of the library; eigenvectors come back in columns.

func (openblasBackend) SymEig(n int, a []float64, lda int, w []float64, work *Work) error {
	if n == 0 {
		return nil
	}
	enter()
	defer leave()
	var query [1]float64
	var iquery [1]int32
	lapacke.Dsyevd('V', 'U', n, a, lda, w, query[:], -1, iquery[:], -1)
	size, isize := int(query[0]), int(iquery[0])
	if !lapacke.Dsyevd('V', 'U', n, a, lda, w, work.floats(size), size, work.ints(isize), isize) {
		return NonConvergence{"dsyevd"}
	}
	transposeSquare(n, a, lda)
	return nil
}

func (openblasBackend) SymEigRange(n, lo, hi int, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	if hi <= lo {
		return nil
	}
	enter()
	defer leave()
	count := hi - lo
	columns := make([]float64, n*count)
	values := make([]float64, n)
	support := make([]int32, 2*count)
	var found [1]int32
	var query [1]float64
	var iquery [1]int32
	lapacke.Dsyevr('V', 'I', 'U', n, a, lda, 0, 0, lo+1, hi, 0, found[:], values, columns, count, support, query[:], -1, iquery[:], -1)
	size, isize := int(query[0]), int(iquery[0])
	ok := lapacke.Dsyevr('V', 'I', 'U', n, a, lda, 0, 0, lo+1, hi, 0, found[:], values, columns, count, support,
		work.floats(size), size, work.ints(isize), isize)
	if !ok || int(found[0]) != count {
		return NonConvergence{"dsyevr"}
	}
	copy(w[:count], values)
	for j := range count {
		for i := range n {
			z[j*ldz+i] = columns[i*count+j]
		}
	}
	return nil
}

func (openblasBackend) SVD(m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work *Work) error {
	if m == 0 || n == 0 {
		return nil
	}
	enter()
	defer leave()
	var query [1]float64
	iwork := work.ints(8 * min(m, n))
	lapacke.Dgesdd('S', m, n, a, lda, s, u, ldu, vt, ldvt, query[:], -1, iwork)
	size := int(query[0])
	if !lapacke.Dgesdd('S', m, n, a, lda, s, u, ldu, vt, ldvt, work.floats(size), size, iwork) {
		return NonConvergence{"dgesdd"}
	}
	return nil
}

func (openblasBackend) Cholesky(n int, a []float64, lda int) bool {
	if n == 0 {
		return true
	}
	enter()
	defer leave()
	return lapacke.Dpotrf('L', n, a, lda)
}
