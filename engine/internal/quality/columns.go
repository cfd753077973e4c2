package quality

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	// A coordinate is a function of an earlier one if lines in each of bins intervals of
	// that one leave less than the share dependentShare of its variance.
	dependentShare, bins = 0.1, 32
	// The largest numbers of samples, and of coordinates, for that check.
	maxPairs, maxCoordinates = 4096, 10
	// MinSamples: with fewer samples the scores are meaningless.
	MinSamples = 4 * bins
)

// participations returns, for each coordinate, the share of the samples over which its squares
// are effectively spread, (Σy²)²/(nΣy⁴): the inverse participation ratio (Bell, Dean 1970).
func participations(y *mat.Dense) []float64 {
	n, dim := y.Dims()
	shares := make([]float64, dim)
	for j := range shares {
		var squares, fourth float64
		for i := range n {
			v := y.At(i, j)
			squares += v * v
			fourth += v * v * v * v
		}
		shares[j] = squares * squares / fourth / float64(n)
	}
	return shares
}

// Largest returns the sample with the largest entry of a coordinate, and its share of the squares.
func Largest(y *mat.Dense, j int) (sample int, share float64) {
	n, _ := y.Dims()
	var squares float64
	for i := range n {
		v := y.At(i, j)
		squares += v * v
		if math.Abs(v) > math.Abs(y.At(sample, j)) {
			sample = i
		}
	}
	most := y.At(sample, j)
	return sample, most * most / squares
}

// Dependence is a coordinate that is a function of an earlier one.
type Dependence struct {
	Coordinate, On int     // from 0
	Left           float64 // share of the coordinate's variance that the function leaves
}

// Dependent returns the first coordinate that is a function of an earlier one; nil: none.
func Dependent(y *mat.Dense) *Dependence {
	n, dim := y.Dims()
	if n < MinSamples {
		return nil
	}
	dim = min(dim, maxCoordinates)
	some := Spread(n, maxPairs)
	columns := make([][]float64, dim)
	for j := range columns {
		for _, i := range some {
			columns[j] = append(columns[j], y.At(i, j))
		}
	}
	order := make([]int, len(some))
	for e, x := range columns {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
		for j := e + 1; j < dim; j++ {
			if left := leftOver(order, x, columns[j]); left < dependentShare {
				return &Dependence{j, e, left}
			}
		}
	}
	return nil
}

// Spread returns count of n samples, or all, evenly spaced by index.
func Spread(n, count int) []int {
	count = min(n, count)
	some := make([]int, count)
	for c := range some {
		some[c] = c * n / count
	}
	return some
}

// leftOver returns the share of the variance of y that lines in bins of equal size by x
// leave; order sorts the samples by x.
func leftOver(order []int, x, y []float64) float64 {
	n := len(order)
	whole := residual(order, nil, y)
	if !(whole > 0) {
		return 1
	}
	var within float64
	for b := range bins {
		within += residual(order[b*n/bins:(b+1)*n/bins], x, y)
	}
	return within / whole
}

// residual returns the sum of squares of y after fitting a line over x, or the mean if x is nil.
func residual(some []int, x, y []float64) float64 {
	count := float64(len(some))
	var mx, my, xx, xy, yy float64
	for _, i := range some {
		my += y[i] / count
		if x != nil {
			mx += x[i] / count
		}
	}
	for _, i := range some {
		yy += (y[i] - my) * (y[i] - my)
		if x != nil {
			xx += (x[i] - mx) * (x[i] - mx)
			xy += (x[i] - mx) * (y[i] - my)
		}
	}
	if xx > 0 {
		yy -= xy * xy / xx
	}
	return max(yy, 0)
}
