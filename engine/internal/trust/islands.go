package trust

import (
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// A gap is this many times as wide as the distance to the spaced-th nearest sample on both sides.
	gap, spaced = 3, 5
)

// islands returns the groups of a map that gaps divide, given the nearest of each sample in the map: the group of each sample, and the
// sizes of the groups.
func islands(there *neighbors.Graph) (label, sizes []int) {
	sets := sparse.NewDisjoint(there.Len())
	spacing := func(i int) float64 {
		apart := there.Distances(i)
		return apart[min(spaced, len(apart))-1]
	}
	for i := range there.Len() {
		apart := there.Distances(i)
		for q, j := range there.Of(i) {
			if apart[q] <= gap*min(spacing(i), spacing(int(j))) {
				sets.Connect(int32(i), j)
			}
		}
	}
	return sets.Labels()
}

// severed returns the share of the listed neighbours that are in another island, beyond those that must be: the lists of a small island are longer than
// it is.
func severed(g *neighbors.Graph, label, sizes []int) float64 {
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
