package eigen

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// dense solves the whole problem in a full array: O(n³), 16n² bytes. The null
// vectors are moved to the far end of the spectrum, A + 2|A|·ZZᵀ, where they
// cannot mix with the wanted ones.
func (p *problem) dense(ctx context.Context) (*Eigen, error) {
	n := p.n
	p.plan.Solver = "dense"
	p.plan.Bytes = 16*int64(n)*int64(n) + 8*int64(p.wanted)*int64(n)
	if err := p.announce(); err != nil {
		return nil, err
	}
	return p.denseOf(ctx, p.a.Dense().RawMatrix().Data)
}

// denseOf is dense for a full array, both triangles given, which it destroys.
func (p *problem) denseOf(ctx context.Context, full []float64) (*Eigen, error) {
	n := p.n
	away := 2 * p.norm
	if away == 0 {
		away = 1
	}
	for _, z := range p.null {
		for i, v := range z {
			blas.Axpy(away*v, z, full[i*n:i*n+n])
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values, vectors := make([]float64, p.wanted), make([]float64, p.wanted*n)
	if err := p.Kernels.SymEigRange(n, 0, p.wanted, full, n, values, vectors, n, new(blas.Work)); err != nil {
		return nil, err
	}
	e := &Eigen{Values: values, Converged: true}
	for j := range p.wanted {
		e.Vectors = append(e.Vectors, vectors[j*n:j*n+n])
	}
	p.Progress(1)
	return e, ctx.Err()
}

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
		return nil, nil, rank, fmt.Errorf("solvers: %d pairs requested of a generalised problem of rank %d; give a number from 1 to %d", count, rank, rank)
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
