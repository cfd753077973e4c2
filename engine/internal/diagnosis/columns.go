package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
)

const (
	// fewShare: a coordinate whose squares are spread over fewer samples than this share of
	// all tells those from the others, and nothing else.
	fewShare = 0.01
	// A coordinate is a function of an earlier one where a line in each of so many bins of
	// that one leaves less than this share of its variance.
	dependentShare, bins = 0.1, 32
	// Of so many samples, and of the first coordinates, that is looked at.
	mostPairs, mostCoordinates = 4096, 10
	// leastSamples: of fewer, neither says anything.
	leastSamples = 4 * bins
)

// fewSamples tells whether a coordinate is that of few samples: (Σy²)²/Σy⁴, the number of
// samples over which its squares would be spread evenly, is small.
func fewSamples(x samples.Samples, y *mat.Dense) string {
	n, dim := y.Dims()
	if n < leastSamples {
		return ""
	}
	for j := range dim {
		var squares, fourth float64
		largest := 0
		for i := range n {
			v := y.At(i, j)
			squares += v * v
			fourth += v * v * v * v
			if math.Abs(v) > math.Abs(y.At(largest, j)) {
				largest = i
			}
		}
		if squares*squares < max(2, fewShare*float64(n))*fourth {
			most := y.At(largest, j)
			return fmt.Sprintf("coordinate %d is spread over about %.0f of %d samples, %.0f %% of its squares in sample %d (counting from 1)",
				j+1, squares*squares/fourth, n, 100*most*most/squares, x.Number(largest))
		}
	}
	return ""
}

// dependent tells whether one of the first coordinates is a function of an earlier one.
func dependent(y *mat.Dense) string {
	n, dim := y.Dims()
	if n < leastSamples {
		return ""
	}
	dim = min(dim, mostCoordinates)
	some := spread(n, mostPairs)
	columns := make([][]float64, dim)
	for j := range columns {
		for _, i := range some {
			columns[j] = append(columns[j], y.At(i, j))
		}
	}
	for e, x := range columns {
		order := indices(len(some))
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
		for j := e + 1; j < dim; j++ {
			if left := leftOver(order, x, columns[j]); left < dependentShare {
				return fmt.Sprintf("coordinate %d is a function of coordinate %d, which leaves %.2g of its variance", j+1, e+1, left)
			}
		}
	}
	return ""
}

// leftOver is the share of the variance of y that lines in bins of equally many samples by x
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

// residual is the sum of squares that a line over x leaves of y, or its mean where x is nil.
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
