package nmf

import "context"

// SVDStart returns the factors from which NNDSVD starts (Boutsidis and Gallopoulos
// 2008), zeros left as they are, and the leading singular values, descending: n × r
// coordinates and r × m components for r ≤ min(n, m). The data have to be finite; of
// data with negative entries the factors are nonnegative all the same, but no longer
// near. A component of a vanishing singular value is the rounding of zero.
//
// Kernels, Threads and Seed of the options are read; the seed is that of Lanczos'
// first vector, whose influence is that of rounding. O(nmr) for large data.
func SVDStart(ctx context.Context, d Data, rank int, o Options) (w, h, values []float64, err error) {
	if d.Sparse != nil {
		d.transpose = transposeSparse(d.Sparse)
	}
	f := sized(d, Options{Rank: rank, Kernels: o.Kernels, Threads: o.Threads, Seed: o.Seed})
	f.cutRows()
	f.w, f.h = make([]float64, f.n*rank), make([]float64, rank*f.m)
	values, err = f.nndsvd(ctx)
	return f.w, f.h, values, err
}
