package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	goblas "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	golapack "gonum.org/v1/gonum/lapack/gonum"
)

// gonumBackend is the reference: pure Go, any architecture, every operation.
// It calls gonum's implementations directly and never the swappable global of
// blas64, which belongs to the program and not to a library.
type gonumBackend struct{}

var (
	level3Gonum goblas.Implementation
	lapackGonum golapack.Implementation
)

func (gonumBackend) Name() string { return "gonum" }

func transpose(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

func (gonumBackend) Gemm(tA, tB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	level3Gonum.Dgemm(transpose(tA), transpose(tB), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (gonumBackend) Syrk(trans bool, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	level3Gonum.Dsyrk(blas.Upper, transpose(trans), n, k, alpha, a, lda, beta, c, ldc)
}

func (gonumBackend) Gemv(trans bool, m, n int, alpha float64, a []float64, lda int, x []float64, beta float64, y []float64) {
	level3Gonum.Dgemv(transpose(trans), m, n, alpha, a, lda, x, 1, beta, y, 1)
}

func (gonumBackend) SymEig(n int, a []float64, lda int, w []float64, work *Work) error {
	if n == 0 {
		return nil
	}
	var query [1]float64
	lapackGonum.Dsyev(lapack.EVCompute, blas.Upper, n, a, lda, w, query[:], -1)
	size := int(query[0])
	if !lapackGonum.Dsyev(lapack.EVCompute, blas.Upper, n, a, lda, w, work.floats(size), size) {
		return NonConvergence{"the symmetric eigensolver"}
	}
	transposeSquare(n, a, lda)
	return nil
}

// transposeSquare turns gonum's eigenvectors in columns into ours in rows.
func transposeSquare(n int, a []float64, lda int) {
	for i := range n {
		for j := range i {
			a[i*lda+j], a[j*lda+i] = a[j*lda+i], a[i*lda+j]
		}
	}
}

func (g gonumBackend) SymEigRange(n, lo, hi int, a []float64, lda int, w, z []float64, ldz int, work *Work) error {
	all := make([]float64, n)
	if err := g.SymEig(n, a, lda, all, work); err != nil {
		return err
	}
	copy(w, all[lo:hi])
	for j := lo; j < hi; j++ {
		copy(z[(j-lo)*ldz:(j-lo)*ldz+n], a[j*lda:j*lda+n])
	}
	return nil
}

func (gonumBackend) SVD(m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work *Work) error {
	if m == 0 || n == 0 {
		return nil
	}
	filled := min(m, n) > unblocked && fillZeros(m, n, a, lda)
	var query [1]float64
	lapackGonum.Dgesvd(lapack.SVDStore, lapack.SVDStore, m, n, a, lda, s, u, ldu, vt, ldvt, query[:], -1)
	size := int(query[0])
	if !lapackGonum.Dgesvd(lapack.SVDStore, lapack.SVDStore, m, n, a, lda, s, u, ldu, vt, ldvt, work.floats(size), size) {
		return NonConvergence{"the singular value decomposition"}
	}
	for j, v := range s[:min(m, n)] {
		if filled && v < math.Sqrt(fillShare)*s[0] {
			s[j] = 0 // the result of the filling
		}
	}
	return nil
}

const (
	// unblocked is the order up to which gonum applies reflectors one by one.
	unblocked = 128
	// fillShare times the largest entry takes the place of zeros: so far below rounding
	// that no sum with another entry changes.
	fillShare = 1e-200
)

// fillZeros replaces the zeros of a, and reports whether there were any. gonum's Dlarft (v0.17.0)
// passes over the trailing zeros of reflectors, and miscounts the trailing zeros of the second
// reflector of a block: of matrices with zeros the left singular vectors are then not orthogonal,
// and residuals are as large as 1e-2.
func fillZeros(m, n int, a []float64, lda int) bool {
	var largest float64
	zeros := false
	for i := range m {
		for _, v := range a[i*lda : i*lda+n] {
			largest = max(largest, math.Abs(v))
			zeros = zeros || v == 0
		}
	}
	if !zeros || largest == 0 {
		return false
	}
	random, unit := NewStream(1), fillShare*largest
	for i := range m {
		row := a[i*lda : i*lda+n]
		for j, v := range row {
			if v == 0 {
				row[j] = math.Copysign(unit*(1+random.Uniform()), random.Uniform()-0.5)
			}
		}
	}
	return true
}

func (gonumBackend) Cholesky(n int, a []float64, lda int) bool {
	if n == 0 {
		return true
	}
	ok := lapackGonum.Dpotrf(blas.Lower, n, a, lda)
	return ok
}
