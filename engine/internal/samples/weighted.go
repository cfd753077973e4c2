package samples

import "github.com/orthant-go/orthant/engine/internal/vector"

// OfWhole returns those of the numbers of all samples that belong to these samples, which may be a subset.
func (x Samples) OfWhole(numbers []float64) []float64 {
	if numbers == nil || x.numbers == nil {
		return numbers
	}
	own := make([]float64, x.n)
	for i := range own {
		own[i] = numbers[x.Number(i)-1]
	}
	return own
}

// WeightedMean returns the mean of every column where sample i counts weights[i] times. A second pass corrects the
// first. nil: [Samples.Mean].
func (x Samples) WeightedMean(weights []float64) []float64 {
	if weights == nil {
		return x.Mean()
	}
	total := vector.Sum(weights)
	mean, rest := make([]float64, x.m), make([]float64, x.m)
	left := make([]float64, x.m) // in compressed rows, the weight of the samples that store no entry
	for j := range left {
		left[j] = total
	}
	for i, w := range weights {
		x.visit(i, func(j int, v float64) {
			mean[j] += w / total * v
			left[j] -= w
		})
	}
	for i, w := range weights {
		x.visit(i, func(j int, v float64) { rest[j] += w * (v - mean[j]) })
	}
	for j := range rest {
		if x.compressed != nil {
			rest[j] -= left[j] * mean[j]
		}
		mean[j] += rest[j] / total
	}
	return mean
}

// WeightedSquares returns Σ w‖x − point‖², with weights of 1 if there are none.
func (x Samples) WeightedSquares(point, weights []float64) float64 {
	var sum float64
	for i := range x.n {
		square := x.squaredDistanceFrom(point, i)
		if weights != nil {
			square *= weights[i]
		}
		sum += square
	}
	return sum
}

// visit calls do for the entries of a sample that are stored.
func (x Samples) visit(i int, do func(j int, v float64)) {
	if a := x.compressed; a != nil {
		cols, vals := a.Row(i)
		for q, j := range cols {
			do(int(j), vals[q])
		}
		return
	}
	for j, v := range x.Row(i) {
		do(j, v)
	}
}

// Incomplete reports whether an entry is NaN.
func (x Samples) Incomplete() bool {
	if a := x.compressed; a != nil {
		return anyNaN(a.Val)
	}
	return anyNaN(x.data)
}

func anyNaN(values []float64) bool {
	for _, v := range values {
		if v != v {
			return true
		}
	}
	return false
}
