package orderstat

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

// NthSmallest puts the entry at place nth of the ascending order there, with none
// larger before it and none smaller behind, and returns it (Hoare, the median of
// three as the pivot).
func NthSmallest(v []float64, nth int) float64 {
	lo, hi := 0, len(v)-1
	for hi > lo {
		mid := lo + (hi-lo)/2
		if v[mid] < v[lo] {
			v[mid], v[lo] = v[lo], v[mid]
		}
		if v[hi] < v[lo] {
			v[hi], v[lo] = v[lo], v[hi]
		}
		if v[hi] < v[mid] {
			v[hi], v[mid] = v[mid], v[hi]
		}
		pivot := v[mid]
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case nth <= j:
			hi = j
		case nth >= i:
			lo = i
		default:
			return v[nth]
		}
	}
	return v[nth]
}
