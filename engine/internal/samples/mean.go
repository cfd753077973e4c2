package samples

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Mean is the mean of dense samples, column by column: a first mean, corrected by
// that of what it leaves, so that many samples cost no digits.
func (x Samples) Mean() []float64 {
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

// Centered returns dense samples less their mean. A column that varies by no more
// than the rounding of its mean is constant, and becomes zero.
func (x Samples) Centered(mean []float64) Samples {
	const rounding = 0x1p-50
	centered := Samples{n: x.n, m: x.m, data: make([]float64, x.n*x.m), labels: x.labels, numbers: x.numbers}
	largest := make([]float64, x.m)
	for i := range x.n {
		row := centered.Row(i)
		for j, v := range x.Row(i) {
			row[j] = v - mean[j]
			largest[j] = max(largest[j], math.Abs(row[j]))
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

// SquaredRadius is the largest squared distance of a dense sample from the plain mean
// of all: no two samples are farther apart than twice its root.
func (x Samples) SquaredRadius() float64 {
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

// Spread is the root mean square distance of dense samples from their mean.
func (x Samples) Spread(mean []float64) float64 {
	var squares float64
	for i := range x.n {
		squares += blas.SquaredDistance(x.Row(i), mean)
	}
	return math.Sqrt(squares / float64(x.n))
}
