package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// times computes the rows of A·B for B with r columns.
func times(a *sparse.CSR, r, lo, hi int, b, to []float64) {
	clear(to[:(hi-lo)*r])
	for i := lo; i < hi; i++ {
		cols, vals := a.Row(i)
		row := to[(i-lo)*r : (i-lo+1)*r]
		for p, j := range cols {
			blas.Axpy(vals[p], b[int(j)*r:int(j)*r+r], row)
		}
	}
}

// dataProducts computes rows of X·Hᵀ.
func (f *factorization) dataProducts(s *scratch, lo, hi int, to []float64) {
	if f.data.Sparse != nil {
		times(f.data.Sparse, f.r, lo, hi, f.ht, to)
		return
	}
	f.kernels.Gemm(false, false, hi-lo, f.r, f.m, 1, f.rows(s, lo, hi), f.m, f.ht, f.r, 0, to, f.r)
}

// sumSparse computes WᵀX by the rows of Xᵀ, and WᵀW.
func (f *factorization) sumSparse(ctx context.Context) error {
	err := f.byColumns(ctx, func(j int, to []float64) {
		times(f.data.transpose, f.r, j, j+1, f.w, to)
	})
	if err != nil {
		return err
	}
	f.kernels.SyrkParallel(f.threads, true, f.r, f.n, 1, f.w, f.r, 0, f.sums.gram, f.r)
	mirror(f.r, f.sums.gram)
	return nil
}

// byColumns fills the r × m numerators of the step of H, column by column.
func (f *factorization) byColumns(ctx context.Context, do func(j int, to []float64)) error {
	return blas.For(ctx, f.threads, f.m, f.columns, func(_, lo, hi int) {
		column := make([]float64, f.r)
		for j := lo; j < hi; j++ {
			do(j, column)
			for k, v := range column {
				f.sums.num[k*f.m+j] = v
			}
		}
	})
}
