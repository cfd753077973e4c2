package samples

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// unitRows is the number of samples that a worker scales at a time.
const unitRows = 128

// Unit returns dense samples scaled to unit length; a sample of zeros stays one.
// Graphs of images are built on them, so that brightness does not count and the
// constants of sparse codes mean the same for every set.
func (x Samples) Unit(ctx context.Context, threads int) (Samples, error) {
	unit := Samples{n: x.n, m: x.m, data: make([]float64, x.n*x.m), labels: x.labels, numbers: x.numbers}
	err := blas.For(ctx, threads, x.n, unitRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, dst := x.Row(i), unit.Row(i)
			var largest float64
			for _, v := range row {
				largest = max(largest, math.Abs(v))
			}
			if largest == 0 {
				continue
			}
			for j, v := range row { // a square of the largest cannot overflow now
				dst[j] = v / largest
			}
			blas.Scale(1/math.Sqrt(blas.Dot(dst, dst)), dst)
		}
	})
	return unit, err
}
