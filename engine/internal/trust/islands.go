package trust

import "github.com/orthant-go/orthant/engine/neighbors"

const (
	// A gap is this many times as wide as the distance to the spaced-th nearest sample on both sides.
	gap, spaced = 3, 5
)

// islands returns the groups of a map that gaps divide, given the nearest of each sample in the map: the group of each sample, and the
// sizes of the groups.
func islands(there *neighbors.Graph) (label []int32, sizes []int) {
	n := there.Len()
	parent := make([]int32, n)
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	spacing := func(i int) float64 {
		apart := there.Distances(i)
		return apart[min(spaced, len(apart))-1]
	}
	for i := range n {
		apart := there.Distances(i)
		for q, j := range there.Of(i) {
			if apart[q] <= gap*min(spacing(i), spacing(int(j))) {
				a, b := root(int32(i)), root(j)
				parent[max(a, b)] = min(a, b) // so a root is the first of its group
			}
		}
	}
	label = make([]int32, n)
	for i := range n {
		r := root(int32(i))
		if int(r) == i {
			label[i] = int32(len(sizes))
			sizes = append(sizes, 0)
		}
		label[i] = label[r] // r ≤ i
		sizes[label[i]]++
	}
	return label, sizes
}

// severed returns the share of the listed neighbours that are in another island, beyond those that must be: the lists of a small island are longer than
// it is.
func severed(g *neighbors.Graph, label []int32, sizes []int) float64 {
	count := 0
	for i := range g.Len() {
		list, other := g.Of(i), 0
		for _, j := range list {
			if label[j] != label[i] {
				other++
			}
		}
		must := max(0, len(list)+1-sizes[label[i]])
		count += max(0, other-must)
	}
	return float64(count) / float64(len(g.Index))
}
