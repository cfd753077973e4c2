package solvers

import "slices"

// Median returns the middle value, the mean of the two middle ones of an even number.
// It sorts the values, of which there must be one at least.
func Median(values []float64) float64 {
	slices.Sort(values)
	at := len(values) / 2
	if len(values)%2 == 1 {
		return values[at]
	}
	return (values[at-1] + values[at]) / 2
}

// LowerMedian returns the ⌈n/2⌉-th smallest of n values, which it leaves in their order.
func LowerMedian(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)+1)/2-1]
}
