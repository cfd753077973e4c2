package solvers

import "github.com/orthant-go/orthant/blas"

// startFrom replaces the random columns of the very first block by combinations of the
// start vectors: those themselves where there are no more than columns, and otherwise random
// sums, whose Krylov space contains all of them where they span an invariant one.
func (k *krylov) startFrom(width int) {
	if len(k.start) == 0 || k.products > 0 {
		return
	}
	unit := make([][]float64, 0, len(k.start))
	for _, v := range k.start {
		if blas.Dot(v, v) > 0 {
			unit = append(unit, v)
		}
	}
	if len(unit) <= width {
		for j, v := range unit {
			for i, t := range v {
				k.next[i*k.block+j] = t
			}
		}
		return
	}
	weights := make([]float64, len(unit)*width)
	k.random.Normals(weights)
	for i := range k.n {
		row := k.next[i*k.block:][:width]
		clear(row)
		for q, v := range unit {
			blas.Axpy(v[i], weights[q*width:][:width], row)
		}
	}
}
