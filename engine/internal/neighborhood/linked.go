package neighborhood

import (
	"cmp"
	"slices"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// Linked is what was found with bridges in the lists of both of their ends, in the order
// of distance. Lists with weights, which are those of edges, give a bridge the weight of
// their nearest entry times the share of the bridge's length that its distance is. label
// has the component of each sample.
func (f Found) Linked(bridges []Bridge, label []int) Found {
	f.degree = f.Degree()
	f.oneWay = linked(f.Graph, fromLeaves(bridges, label), false)
	f.Graph, f.held = linked(f.Graph, bridges, true), false
	return f
}

// Degree is the length of the longest list, bridges left out, or of a usual one.
func (f Found) Degree() int {
	if f.oneWay != nil {
		return f.degree
	}
	if f.usual > 0 {
		return f.usual
	}
	return f.Graph.MaxDegree()
}

// OneWay is the graph with every bridge in the list of one end, and one of them in a
// list at most.
func (f Found) OneWay() *neighbors.Graph {
	if f.oneWay != nil {
		return f.oneWay
	}
	return f.Graph
}

// fromLeaves turns the bridges so that each leads towards the component of sample 0: one
// leaves every other component.
func fromLeaves(bridges []Bridge, label []int) []Bridge {
	at := make([][]int, len(bridges)+1) // by component
	for e, b := range bridges {
		at[label[b.From]], at[label[b.To]] = append(at[label[b.From]], e), append(at[label[b.To]], e)
	}
	turned := make([]Bridge, 0, len(bridges))
	done := make([]bool, len(bridges))
	for queue := []int{label[0]}; len(queue) > 0; queue = queue[1:] {
		for _, e := range at[queue[0]] {
			if done[e] {
				continue
			}
			done[e] = true
			b := bridges[e]
			if label[b.From] == queue[0] {
				b.From, b.To = b.To, b.From
			}
			turned, queue = append(turned, b), append(queue, label[b.From])
		}
	}
	return turned
}

// entry is a neighbour in a list.
type entry struct {
	index        int32
	dist, weight float64
}

// compare orders entries by distance, ties by the lower index.
func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.dist, f.dist), cmp.Compare(e.index, f.index))
}

// linked adds bridges to the lists of their first ends, or of both.
func linked(g *neighbors.Graph, bridges []Bridge, both bool) *neighbors.Graph {
	more := make([][]entry, g.Len())
	for _, b := range bridges {
		more[b.From] = append(more[b.From], entry{index: b.To, dist: b.Length})
		if both {
			more[b.To] = append(more[b.To], entry{index: b.From, dist: b.Length})
		}
	}
	size := len(g.Index) + 2*len(bridges)
	r := &neighbors.Graph{Ptr: make([]int, 1, len(g.Ptr)), Index: make([]int32, 0, size), Dist: make([]float64, 0, size)}
	if g.Weight != nil {
		r.Weight = make([]float64, 0, size)
	}
	var list []entry
	for i := range more {
		list = list[:0]
		for a, j := range g.Of(i) {
			e := entry{index: j, dist: g.Distances(i)[a]}
			if g.Weight != nil {
				e.weight = g.Weights(i)[a]
			}
			list = append(list, e)
		}
		nearest := entry{weight: 1}
		if len(list) > 0 {
			nearest = list[0]
		}
		for _, e := range more[i] {
			if e.weight = nearest.weight; e.dist > nearest.dist {
				e.weight *= nearest.dist / e.dist
			}
			list = append(list, e)
		}
		if len(more[i]) > 0 {
			slices.SortFunc(list, entry.compare)
		}
		for _, e := range list {
			r.Index, r.Dist = append(r.Index, e.index), append(r.Dist, e.dist)
			if g.Weight != nil {
				r.Weight = append(r.Weight, e.weight)
			}
		}
		r.Ptr = append(r.Ptr, len(r.Index))
	}
	return r
}
