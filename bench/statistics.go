package bench

import (
	"math"
	"slices"
)

// Summarize returns the statistics of the repeats of one measurement. Quartiles
// are interpolated between the sorted values, as is the median, so that two
// values have a spread of a quarter of their difference over their mean.
func Summarize(values []float64) Statistics {
	s := Statistics{Values: slices.Clone(values)}
	if len(values) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(values))
	s.Median = quantile(sorted, 0.5)
	if half := (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2; half > 0 && s.Median != 0 {
		s.Spread = half / math.Abs(s.Median)
	}
	return s
}

// quantile interpolates in sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
