package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Reconstruction returns ‖X − WH‖_F / ‖X‖_F for X n × m, W n × r and H r × m, the
// relative error of a factorisation: 0 is perfect, and W = 0 gives 1.
//
// It returns an error for shapes that do not match, values that are not finite, and an
// X of zeros. Time is O(nmr), divided over the threads; memory is O(m) for each thread.
func Reconstruction(ctx context.Context, x, w, h mat.Matrix, o Options) (float64, error) {
	const measure = "reconstruction"
	var p [3]blas.Rows
	for i, what := range []string{"data", "W", "H"} {
		var err error
		if p[i], err = readPoints(measure, what, []mat.Matrix{x, w, h}[i]); err != nil {
			return 0, err
		}
	}
	a, left, right := p[0], p[1], p[2]
	if left.N != a.N || right.M != a.M || left.M != right.N {
		return 0, fmt.Errorf("%s: W is %d × %d and H %d × %d for data of %d × %d, want %d × r and r × %d", measure, left.N, left.M, right.N, right.M, a.N, a.M, a.N, a.M)
	}
	top := largest(a.Data)
	if top == 0 {
		return 0, fmt.Errorf("%s: the data is all zeros; there is nothing to reconstruct", measure)
	}
	o, err := o.withDefaults(measure)
	if err != nil {
		return 0, err
	}
	const block = 64
	// For each block: sums of squares of entries divided by the largest one, so that
	// they stay in range.
	rest, whole := make([]float64, (a.N+block-1)/block), make([]float64, (a.N+block-1)/block)
	scratch := make([][]float64, o.Threads)
	err = blas.For(ctx, o.Threads, a.N, block, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, block*a.M)
		}
		size := (hi - lo) * a.M
		product, rows := scratch[worker][:size], a.Data[lo*a.M:lo*a.M+size]
		o.Kernels.Gemm(false, false, hi-lo, a.M, left.M, 1, left.Data[lo*left.M:], left.M, right.Data, right.M, 0, product, a.M)
		for q, v := range rows {
			product[q] = (v - product[q]) / top
			whole[lo/block] += (v / top) * (v / top)
		}
		rest[lo/block] = blas.Dot(product, product)
	})
	if err != nil {
		return 0, err
	}
	above, below := 0.0, 0.0
	for b := range rest {
		above, below = above+rest[b], below+whole[b]
	}
	value := math.Sqrt(above / below)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, fmt.Errorf("%s: the product WH is beyond the range of numbers; scale W and H down", measure)
	}
	return value, nil
}
