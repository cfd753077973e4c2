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

// dataProducts computes rows of D·Cᵀ.
func (c *core) dataProducts(lo, hi int, to []float64) {
	if c.data.Sparse != nil {
		times(c.data.Sparse, c.r, lo, hi, c.w, to)
		return
	}
	c.kernels.Gemm(false, false, hi-lo, c.r, c.m, 1, c.rows(lo, hi), c.m, c.w, c.r, 0, to, c.r)
}

// sumSparse computes YᵀD by the rows of Dᵀ, and YᵀY.
func (c *core) sumSparse(ctx context.Context) error {
	err := c.byColumns(ctx, func(j int, to []float64) {
		times(c.data.transpose, c.r, j, j+1, c.y, to)
	})
	if err != nil {
		return err
	}
	c.kernels.SyrkParallel(c.threads, true, c.r, c.n, 1, c.y, c.r, 0, c.share.gram, c.r)
	mirror(c.r, c.share.gram)
	return nil
}

// byColumns fills the r × m numerators of the step of C, column by column.
func (c *core) byColumns(ctx context.Context, do func(j int, to []float64)) error {
	return blas.For(ctx, c.threads, c.m, c.columns, func(_, lo, hi int) {
		column := make([]float64, c.r)
		for j := lo; j < hi; j++ {
			do(j, column)
			for k, v := range column {
				c.share.num[k*c.m+j] = v
			}
		}
	})
}
