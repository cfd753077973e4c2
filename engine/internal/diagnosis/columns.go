package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// fewShare: a coordinate whose squares are spread over fewer samples than this share of
	// all tells those from the others, and nothing else.
	fewShare = 0.01
	// A coordinate is a function of an earlier one where a line in each of so many bins of
	// that one leaves less than this share of its variance.
	dependentShare, bins = 0.1, 32
	// mostPairs is the number of samples on which that is looked at.
	mostPairs = 4096
)

// fewSamples tells whether a coordinate is that of few samples: (Σy²)²/Σy⁴, the number of
// samples over which its squares would be spread evenly, is small.
func fewSamples(columns [][]float64) string {
	for j, y := range columns {
		var squares, fourth float64
		largest := 0
		for i, v := range y {
			squares += v * v
			fourth += v * v * v * v
			if math.Abs(v) > math.Abs(y[largest]) {
				largest = i
			}
		}
		if n := float64(len(y)); squares*squares < max(2, fewShare*n)*fourth && n >= 50 {
			return fmt.Sprintf("coordinate %d is spread over %.0f samples of %.0f: %.0f %% of it are in sample %d (counting from 1)",
				j+1, squares*squares/fourth, n, 100*y[largest]*y[largest]/squares, largest+1)
		}
	}
	return ""
}

// dependent tells whether a coordinate is a function of an earlier one.
func dependent(columns [][]float64) string {
	for j, y := range columns {
		for e, x := range columns[:j] {
			if left := leftOver(x, y); left < dependentShare {
				return fmt.Sprintf("coordinate %d is a function of coordinate %d, which leaves %.2g of its variance", j+1, e+1, left)
			}
		}
	}
	return ""
}

// leftOver is the share of the variance of y that lines in bins of equally many samples by x
// leave.
func leftOver(x, y []float64) float64 {
	order := spread(len(x), mostPairs)
	n := len(order)
	if n < 4*bins {
		return 1
	}
	whole := residual(order, nil, y)
	if !(whole > 0) {
		return 1
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
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
