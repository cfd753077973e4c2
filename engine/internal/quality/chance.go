package quality

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// chanceCharts is the number of charts that are drawn, by the stream chanceStream.
const chanceCharts, chanceStream = 65, 20040917

// LastByChance is what the last of d directions holds of the variance of a sample and its k nearest
// on a flat sheet of d dimensions (median): the samples are drawn evenly from a ball around the first.
// O(kd² + d³).
func LastByChance(d, k int) float64 {
	rng := blas.NewStream(chanceStream)
	x, mean, scatter := make([]float64, k*d), make([]float64, d), make([]float64, d*d)
	values, scratch := make([]float64, d), make([]float64, 2*d)
	shares := make([]float64, chanceCharts)
	for c := range shares {
		rng.Normals(x)
		clear(mean)
		clear(scatter)
		for i := range k {
			row := x[i*d : i*d+d]
			blas.Scale(math.Pow(rng.Uniform(), 1/float64(d))/math.Sqrt(blas.Dot(row, row)), row)
			blas.Axpy(1/float64(k+1), row, mean)
		}
		var sum float64
		for a := range d {
			for b := range a + 1 {
				v := -float64(k+1) * mean[a] * mean[b]
				for i := range k {
					v += x[i*d+a] * x[i*d+b]
				}
				scatter[a*d+b], scatter[b*d+a] = v, v
			}
			sum += scatter[a*d+a]
		}
		blas.SymEigSmall(d, scatter, values, false, scratch) // small and finite: it converges
		shares[c] = max(values[0], 0) / sum
	}
	return solvers.LowerMedian(shares)
}

// leastOfChance: a last direction that holds less than this share of what it holds by chance is
// none. Sound charts of 1 to 20 dimensions have six tenths and more, and those of one dimension less
// up to three tenths, with noise (bench/suites/verdict).
const leastOfChance = 0.2

// Thin reports whether the last of d directions, which holds a share of the variance of a sample and
// its k nearest, does not count.
func Thin(share float64, d, k int) bool {
	if d < 2 || share >= leastOfChance/float64(d) { // chance leaves it no more than an equal part
		return false
	}
	return share < leastOfChance*LastByChance(d, k)
}
