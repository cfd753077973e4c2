package solvers

import "github.com/orthant-go/orthant/blas"

// startFrom replaces the random rows of the very first block by combinations of the
// start vectors: those themselves where there are no more than rows, and otherwise random
// sums, whose Krylov space contains all of them where they span an invariant one.
func (k *krylov) startFrom(next []float64, width int) {
	if len(k.start) == 0 || k.products > 0 {
		return
	}
	n := k.n
	unit := make([][]float64, 0, len(k.start))
	for _, v := range k.start {
		if size := blas.Dot(v, v); size > 0 {
			unit = append(unit, v)
		}
	}
	if len(unit) <= width {
		for j, v := range unit {
			copy(next[j*n:j*n+n], v)
		}
		return
	}
	weights := make([]float64, len(unit))
	for j := range width {
		row := next[j*n : j*n+n]
		clear(row)
		k.random.Normals(weights)
		for i, v := range unit {
			blas.Axpy(weights[i], v, row)
		}
	}
}
