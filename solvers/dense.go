package solvers

import (
	"context"

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
