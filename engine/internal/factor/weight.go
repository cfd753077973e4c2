package factor

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// weight is λ for the samples divided by norm. Where none was given it makes the graph term
// of a partition without any edge inside a cluster, C·mean degree, as large as the loss
// without components, Σ‖xᵢ‖, times Share. The degrees of a learned graph, which has no
// Laplacian yet, count as 1: each sample divides 1 among others.
func (r ByALM) weight(w Work, norm float64, laplacian *sparse.CSR) float64 {
	if r.Lambda != nil {
		return *r.Lambda
	}
	var loss, degree float64
	for i := range w.X.N() {
		row := w.X.Row(i)
		loss += math.Sqrt(blas.Dot(row, row)) / norm
		if laplacian != nil {
			degree += laplacian.At(i, i) / float64(w.X.N())
		}
	}
	if laplacian == nil {
		degree = 1
	}
	if !(degree > 0) {
		return 0
	}
	lambda := r.Share * loss / (float64(w.Rank) * degree)
	w.Note("lambda", lambda)
	return lambda
}
