package nmf

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// SVDStart returns the factors from which NNDSVD starts (Boutsidis and Gallopoulos
// 2008), zeros left as they are, and the leading singular values, descending: n × r
// coordinates and r × m components for r ≤ min(n, m). The data have to be finite; of
// data with negative entries the factors are nonnegative all the same, but no longer
// near. A component of a vanishing singular value is the rounding of zero.
//
// Kernels, Threads and Seed of the options are read; the seed is that of Lanczos'
// first vector, whose influence is that of rounding. O(nmr) for large data.
func SVDStart(ctx context.Context, d Data, rank int, o Options) (coordinates, components, values []float64, err error) {
	c := &core{data: d, n: d.Rows, m: d.Cols, r: rank, kernels: o.Kernels, threads: o.Threads, seed: o.Seed, workers: blas.Threads(o.Threads)}
	if d.Sparse != nil {
		c.data.transpose = transposed(d.Sparse)
	}
	c.layout(false)
	c.columns = max(64, (c.m/mostChunks+7)/8*8)
	c.y, c.c = make([]float64, c.n*rank), make([]float64, rank*c.m)
	values, err = c.nndsvd(ctx)
	return c.y, c.c, values, err
}
