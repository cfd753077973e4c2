package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// Reconstruction returns ‖X − WH‖_F / ‖X‖_F for X n × m, W n × r and H r × m, the
// relative error of a factorisation: 0 is perfect, 1 what W = 0 would give.
//
// Errors are about shapes that do not match, values that are not finite, and an
// X of zeros alone. Time is O(nmr) over the threads, memory O(m) a thread.
func Reconstruction(ctx context.Context, x, w, h mat.Matrix, o Options) (float64, error) {
	const measure = "reconstruction"
	var p [3]points
	for i, what := range []string{"data", "W", "H"} {
		var err error
		if p[i], err = readPoints(measure, what, []mat.Matrix{x, w, h}[i]); err != nil {
			return 0, err
		}
	}
	a, left, right := p[0], p[1], p[2]
	if left.n != a.n || right.m != a.m || left.m != right.n {
		return 0, fmt.Errorf("%s: W is %d × %d and H %d × %d for data of %d × %d, want %d × r and r × %d", measure, left.n, left.m, right.n, right.m, a.n, a.m, a.n, a.m)
	}
	top := largest(a.data)
	if top == 0 {
		return 0, fmt.Errorf("%s: the data is all zeros; there is nothing to reconstruct", measure)
	}
	o, err := o.withDefaults(measure)
	if err != nil {
		return 0, err
	}
	const block = 64
	// Of each block the sums of squares, of entries over the largest one, so that
	// they stay in range.
	rest, whole := make([]float64, (a.n+block-1)/block), make([]float64, (a.n+block-1)/block)
	scratch := make([][]float64, o.Threads)
	err = blas.For(ctx, o.Threads, a.n, block, func(worker, lo, hi int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]float64, block*a.m)
		}
		size := (hi - lo) * a.m
		product, rows := scratch[worker][:size], a.data[lo*a.m:lo*a.m+size]
		o.Kernels.Gemm(false, false, hi-lo, a.m, left.m, 1, left.data[lo*left.m:], left.m, right.data, right.m, 0, product, a.m)
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
