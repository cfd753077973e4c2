package samples

import (
	"cmp"
	"slices"
)

// Classes numbers the classes of the samples from 0 in ascending order of their
// labels: of is the class of each sample, sizes has the samples of each class.
func (x Samples) Classes() (of, sizes []int) {
	values := slices.Compact(slices.Sorted(slices.Values(x.labels)))
	of, sizes = make([]int, len(x.labels)), make([]int, len(values))
	for i, l := range x.labels {
		of[i], _ = slices.BinarySearchFunc(values, l, cmp.Compare[int64])
		sizes[of[i]]++
	}
	return of, sizes
}
