package align

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// gramRows is the number of rows of a Gram matrix of compressed samples that a worker takes
// at a time.
const gramRows = 32

// gramOfSamples returns XXᵀ, both triangles. Of compressed samples a row is summed by the
// columns that its sample has entries in: O(Σⱼ cⱼ²) for columns with cⱼ entries.
func gramOfSamples(job *run.Run, x samples.Samples) ([]float64, error) {
	a := x.Compressed()
	if a == nil {
		return GramOf(job, x.Data(), x.N(), x.M(), false), nil
	}
	n, columns := x.N(), a.Transposed()
	gram := make([]float64, n*n)
	err := blas.For(job.Context(), job.Threads(), n, gramRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := gram[i*n : (i+1)*n]
			cols, vals := a.Row(i)
			for p, j := range cols {
				others, entries := columns.Row(int(j))
				for q, k := range others {
					row[k] += vals[p] * entries[q]
				}
			}
		}
	})
	return gram, err
}
