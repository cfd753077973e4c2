package diagnosis

import (
	"cmp"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
)

// wider are the nearest of a sample's neighbours and of theirs, twice as many as it has.
// They are nearly its nearest. O(k²m).
func wider(in patch.Local, i int) []int32 {
	reached := slices.Clone(in.Graph.Of(i))
	for _, j := range in.Graph.Of(i) {
		reached = append(reached, in.Graph.Of(int(j))...)
	}
	slices.Sort(reached)
	reached = slices.DeleteFunc(slices.Compact(reached), func(j int32) bool { return int(j) == i })
	distance := make([]float64, len(reached))
	order := indices(len(reached))
	xi := in.X.Row(i)
	for a, j := range reached {
		distance[a] = blas.SquaredDistance(in.X.Row(int(j)), xi)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b)) })
	list := make([]int32, 0, 2*len(in.Graph.Of(i)))
	for _, a := range order[:min(len(order), cap(list))] {
		list = append(list, reached[a])
	}
	return list
}

// indices are 0 … n−1.
func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
