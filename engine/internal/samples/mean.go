package samples

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// Mean returns the mean of every column. A second pass corrects the first, so that many samples cost
// no accuracy.
func (x Samples) Mean() []float64 {
	if x.compressed != nil {
		return x.compressedMean()
	}
	mean, rest := make([]float64, x.m), make([]float64, x.m)
	for i := range x.n {
		blas.Axpy(1/float64(x.n), x.Row(i), mean)
	}
	for i := range x.n {
		for j, v := range x.Row(i) {
			rest[j] += v - mean[j]
		}
	}
	blas.Axpy(1/float64(x.n), rest, mean)
	return mean
}

// compressedMean is Mean for compressed samples. In the second pass a missing entry contributes minus
// the mean.
func (x Samples) compressedMean() []float64 {
	a := x.compressed
	mean, rest, stored := make([]float64, x.m), make([]float64, x.m), make([]int32, x.m)
	for q, j := range a.Col {
		mean[j] += a.Val[q] / float64(x.n)
		stored[j]++
	}
	for q, j := range a.Col {
		rest[j] += a.Val[q] - mean[j]
	}
	for j := range rest {
		rest[j] -= float64(x.n-int(stored[j])) * mean[j]
	}
	blas.Axpy(1/float64(x.n), rest, mean)
	return mean
}

// Centered returns dense samples minus their mean. A column that varies by no more
// than the rounding error of its mean is constant, and becomes zero.
func (x Samples) Centered(mean []float64) Samples {
	const rounding = 0x1p-50
	centered := Samples{n: x.n, m: x.m, data: pages.Make[float64](x.n * x.m), labels: x.labels, numbers: x.numbers}
	largest := make([]float64, x.m)
	for i := range x.n {
		row := centered.Row(i)
		for j, v := range x.Row(i) {
			row[j] = v - mean[j]
			if size := math.Abs(row[j]); size > largest[j] {
				largest[j] = size
			}
		}
	}
	for j, v := range largest {
		if v > 0 && v <= rounding*math.Abs(mean[j]) {
			for i := range x.n {
				centered.data[i*x.m+j] = 0
			}
		}
	}
	return centered
}

// SquaredRadius returns the largest squared distance of a sample from the mean: no
// two samples are farther apart than twice its root. For compressed samples it is exact up to the
// rounding of their squared lengths.
func (x Samples) SquaredRadius() float64 {
	if x.compressed != nil {
		return x.compressedRadius()
	}
	mean := make([]float64, x.m)
	for i := range x.n {
		blas.Axpy(1/float64(x.n), x.Row(i), mean)
	}
	var radius float64
	for i := range x.n {
		radius = max(radius, blas.SquaredDistance(x.Row(i), mean))
	}
	return radius
}

// compressedRadius adds to ‖μ‖² the changes due to the stored entries.
func (x Samples) compressedRadius() float64 {
	mean := x.compressedMean()
	whole := blas.Dot(mean, mean)
	var radius float64
	for i := range x.n {
		cols, vals := x.compressed.Row(i)
		square := whole
		for q, v := range vals {
			square += v * (v - 2*mean[cols[q]])
		}
		radius = max(radius, square)
	}
	return radius
}

// Spread returns the root mean square distance of the samples from their mean.
func (x Samples) Spread(mean []float64) float64 {
	var squares float64
	for i := range x.n {
		squares += x.squaredDistanceFrom(mean, i)
	}
	return math.Sqrt(squares / float64(x.n))
}

// squaredDistanceFrom returns the squared distance of a sample from a point. O(m).
func (x Samples) squaredDistanceFrom(point []float64, i int) float64 {
	if x.compressed == nil {
		return blas.SquaredDistance(x.Row(i), point)
	}
	var sum float64
	at := 0
	cols, vals := x.compressed.Row(i)
	for j, v := range point {
		if at < len(cols) && int(cols[at]) == j {
			v -= vals[at]
			at++
		}
		sum += v * v
	}
	return sum
}
