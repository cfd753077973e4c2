package neighborhood

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// Basins are the lists of a graph with weights, cut so that every component has one
// closed class: the basin of that class, the samples whose likeliest path along the
// arrows, by the product of its weights, ends in it; ties go to the lower sample. What
// leads out of a basin is left out, and the weights that stay sum to 1 again: a sample
// keeps at least the next one of its path. classes is the number of basins. O(nk log n).
func Basins(g *neighbors.Graph) (cut *neighbors.Graph, classes int) {
	of, classes := closedClasses(g)
	leadTo(g, of)
	cut = &neighbors.Graph{Ptr: make([]int, 1, len(g.Ptr))}
	for i := range g.Len() {
		from, total := len(cut.Index), 0.0
		for a, j := range g.Of(i) {
			if of[j] == of[i] {
				cut.Index, cut.Dist = append(cut.Index, j), append(cut.Dist, g.Distances(i)[a])
				cut.Weight = append(cut.Weight, g.Weights(i)[a])
				total += g.Weights(i)[a]
			}
		}
		for a := range cut.Weight[from:] {
			cut.Weight[from+a] /= total
		}
		cut.Ptr = append(cut.Ptr, len(cut.Index))
	}
	return cut, classes
}

// leadTo gives every sample that is in no class the one that its likeliest path ends in.
func leadTo(g *neighbors.Graph, of []int32) {
	n := g.Len()
	// Who lists a sample, and with which weight.
	ptr := make([]int, n+1)
	for _, j := range g.Index {
		ptr[j+1]++
	}
	for i := range n {
		ptr[i+1] += ptr[i]
	}
	who, cost, end := make([]int32, len(g.Index)), make([]float64, len(g.Index)), append([]int(nil), ptr[:n]...)
	for i := range n {
		for a, j := range g.Of(i) {
			who[end[j]], cost[end[j]] = int32(i), -math.Log(max(g.Weights(i)[a], math.SmallestNonzeroFloat64))
			end[j]++
		}
	}
	var open paths
	for i, class := range of {
		if class >= 0 {
			open = append(open, path{0, int32(i), class})
		}
	}
	heap.Init(&open)
	for done := make([]bool, n); len(open) > 0; {
		p := heap.Pop(&open).(path)
		if done[p.from] {
			continue
		}
		done[p.from], of[p.from] = true, p.class
		for q := ptr[p.from]; q < ptr[p.from+1]; q++ {
			if i := who[q]; !done[i] && of[i] < 0 {
				heap.Push(&open, path{p.cost + cost[q], i, p.class})
			}
		}
	}
}

// path leads from a sample to a closed class, at minus the logarithm of the product of
// its weights.
type path struct {
	cost        float64
	from, class int32
}

// paths are those that wait, the likeliest first.
type paths []path

func (p paths) Len() int { return len(p) }
func (p paths) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(p[a].cost, p[b].cost), cmp.Compare(p[a].from, p[b].from), cmp.Compare(p[a].class, p[b].class)) < 0
}
func (p paths) Swap(a, b int) { p[a], p[b] = p[b], p[a] }
func (p *paths) Push(x any)   { *p = append(*p, x.(path)) }
func (p *paths) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
