package samples

import (
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// unitRows is the number of samples that a worker scales at a time.
const unitRows = 128

// Unit returns the samples scaled to unit length; a sample of zeros stays zero.
// Graphs of images use them, so that brightness has no effect and the
// constants of sparse codes suit all data.
func (x Samples) Unit(ctx context.Context, threads int) (Samples, error) {
	if x.compressed != nil {
		return x.compressedUnit(), nil
	}
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
			for j, v := range row { // the squares cannot overflow after that
				dst[j] = v / largest
			}
			blas.Scale(1/math.Sqrt(blas.Dot(dst, dst)), dst)
		}
	})
	return unit, err
}

// compressedUnit is Unit for compressed samples.
func (x Samples) compressedUnit() Samples {
	a := *x.compressed
	a.Val = slices.Clone(a.Val)
	for i := range x.n {
		_, vals := a.Row(i)
		_, largest := magnitude.Largest(vals)
		if largest == 0 {
			continue
		}
		for q, v := range vals {
			vals[q] = v / largest
		}
		blas.Scale(1/math.Sqrt(blas.Dot(vals, vals)), vals)
	}
	return Samples{n: x.n, m: x.m, compressed: &a, labels: x.labels, numbers: x.numbers}
}
