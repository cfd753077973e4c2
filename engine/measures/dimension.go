package measures

import (
	"math"
	"slices"
)

// supportShare: weights below this share of a list's largest do not count for
// [SupportDimension].
const supportShare = 0.02

// WeightProfile returns the dimension vector ρ of the weights by which samples are
// represented, with one list for each sample (Chen, Lv and Yi 2014, eq. 8): the mean
// over all samples of their weights in descending order. A list represents a
// column of n entries, most of them 0: negative weights come after those zeros,
// so they do not count. The profile ends with one 0 after the
// longest list. O(Σ k log k).
func WeightProfile(lists [][]float64) []float64 {
	longest := 0
	for _, list := range lists {
		longest = max(longest, len(list))
	}
	rho := make([]float64, longest+1)
	var sorted []float64
	for _, list := range lists {
		sorted = append(sorted[:0], list...)
		slices.SortFunc(sorted, func(a, b float64) int {
			switch {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
		for l, w := range sorted {
			if w > 0 {
				rho[l] += w / float64(len(lists))
			}
		}
	}
	return rho
}

// GapDimension returns the dimension by the largest gap of a profile (Chen, Lv and Yi
// 2014, eq. 9): argmax_l (ρ_l − ρ_{l+1}) − 1 for l = 1…κ, ties by lower l.
// It is intended for evenly sampled manifolds; for randomly sampled ones it is
// mostly 0. An empty profile has dimension 0.
func GapDimension(rho []float64) int {
	best, at := math.Inf(-1), 0
	for l := range max(len(rho)-1, 0) {
		if gap := rho[l] - rho[l+1]; gap > best {
			best, at = gap, l
		}
	}
	return at
}

// SupportDimension returns the dimension by the number of significant weights: the
// most frequent number of weights of at least a fiftieth of the list's largest,
// ties by lower number, minus one. No lists, or empty ones, have dimension 0.
func SupportDimension(lists [][]float64) int {
	var frequency []int
	for _, list := range lists {
		var largest float64
		for _, w := range list {
			largest = max(largest, w)
		}
		count := 0
		for _, w := range list {
			if w > 0 && w >= supportShare*largest {
				count++
			}
		}
		for len(frequency) <= count {
			frequency = append(frequency, 0)
		}
		frequency[count]++
	}
	best := 0
	for count, f := range frequency {
		if f > frequency[best] {
			best = count
		}
	}
	return max(best-1, 0)
}
