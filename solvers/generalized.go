package solvers

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// dropShare: directions in which B is below this share of its largest eigenvalue
// are left out of a generalised problem.
const dropShare = 1e-12

// Generalized solves the small dense problem A·v = λB·v for its count smallest
// eigenvalues, A symmetric and B symmetric positive semidefinite, both n×n
// row-major with both triangles given: the problems of linear projections, with
// A = XᵀΦX and B = XᵀX. Directions in which B vanishes to rounding are dropped
// first, where others divide by them; rank is the number of those that are left.
// Row j of vectors is scaled so that vᵀBv = 1. O(n³), 4n² numbers of memory;
// neither input is changed.
func Generalized(kernels *blas.Kernels, n int, a, b []float64, count int) (values []float64, vectors [][]float64, rank int, err error) {
	for i, v := range append(append([]float64(nil), a...), b...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil, 0, fmt.Errorf("solvers: entry %d of a generalised problem is %v", i, v)
		}
	}
	q, d := append([]float64(nil), b...), make([]float64, n)
	if err := kernels.SymEig(n, q, n, d, new(blas.Work)); err != nil {
		return nil, nil, 0, err
	}
	// q holds the eigenvectors of B in rows, ascending: the last rank of them count.
	for rank < n && d[n-1] > 0 && d[n-1-rank] > dropShare*d[n-1] {
		rank++
	}
	if count < 1 || count > rank {
		return nil, nil, rank, fmt.Errorf("solvers: %d pairs asked of a generalised problem of rank %d; give a number from 1 to %d", count, rank, rank)
	}
	basis := q[(n-rank)*n:]
	for j := range rank {
		blas.Scale(1/math.Sqrt(d[n-rank+j]), basis[j*n:j*n+n])
	}
	// C = UᵀAU with UᵀBU = I.
	half, c := make([]float64, rank*n), make([]float64, rank*rank)
	kernels.Gemm(false, false, rank, n, n, 1, basis, n, a, n, 0, half, n)
	kernels.Gemm(false, true, rank, rank, n, 1, half, n, basis, n, 0, c, rank)
	for i := range rank {
		for j := range i {
			c[i*rank+j] = (c[i*rank+j] + c[j*rank+i]) / 2
			c[j*rank+i] = c[i*rank+j]
		}
	}
	values = make([]float64, count)
	small, full := make([]float64, count*rank), make([]float64, count*n)
	if err := kernels.SymEigRange(rank, 0, count, c, rank, values, small, rank, new(blas.Work)); err != nil {
		return nil, nil, rank, err
	}
	kernels.Gemm(false, false, count, n, rank, 1, small, rank, basis, n, 0, full, n)
	for j := range count {
		vectors = append(vectors, full[j*n:j*n+n])
	}
	return values, vectors, rank, nil
}
