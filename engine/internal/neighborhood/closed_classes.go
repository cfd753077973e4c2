package neighborhood

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// ClosedClasses counts the closed classes of the directed graph i → list of i:
// the strongly connected components that no edge leaves. If the weights sum
// to 1 in every list, that is the dimension of the null space of (I − S)ᵀ: the
// functions that equal their own weighted means are determined by their values on
// the recurrent classes of a Markov chain.
func ClosedClasses(g *neighbors.Graph) int {
	_, count := closedClasses(g)
	return count
}

// closedClasses numbers the closed classes; of has that of each sample, or −1.
// Tarjan's algorithm (1972) without recursion, linear in the lists.
func closedClasses(g *neighbors.Graph) (of []int32, count int) {
	n := g.Len()
	of = make([]int32, n)
	order := make([]int32, n) // order of the first visit, counting from 1; 0: not visited
	low := make([]int32, n)
	class := make([]int32, n) // set once it is complete, counting from 1
	next := make([]int, n)    // the edge to follow next
	var path, open []int32    // the current path, and the vertices of incomplete classes
	var visited, classes int32
	for start := range n {
		if order[start] != 0 {
			continue
		}
		path = append(path, int32(start))
		for len(path) > 0 {
			i := path[len(path)-1]
			if order[i] == 0 {
				visited++
				order[i], low[i], next[i] = visited, visited, g.Ptr[i]
				open = append(open, i)
			}
			if next[i] < g.Ptr[i+1] {
				j := g.Index[next[i]]
				next[i]++
				if order[j] == 0 {
					path = append(path, j)
				} else if class[j] == 0 {
					low[i] = min(low[i], order[j])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[i])
			}
			if low[i] != order[i] {
				continue
			}
			classes++
			from := len(open)
			for first := true; first || open[from] != i; first = false {
				from--
				class[open[from]] = classes
			}
			number := int32(-1)
			if isClosed(g, open[from:], class, classes) {
				number = int32(count)
				count++
			}
			for _, member := range open[from:] {
				of[member] = number
			}
			open = open[:from]
		}
	}
	return of, count
}

// isClosed reports whether all edges from the members of a class stay in it.
func isClosed(g *neighbors.Graph, members []int32, class []int32, own int32) bool {
	for _, i := range members {
		for _, j := range g.Of(int(i)) {
			if class[j] != own {
				return false
			}
		}
	}
	return true
}

// Basins cuts the lists of a graph with weights so that every component has exactly one
// closed class. The basin of a class has the samples whose likeliest path, by the product of
// the weights, ends in it; ties go to the lower sample. Edges out of a basin are
// removed, and the remaining weights are scaled to sum 1: a sample
// keeps at least the next sample of its path. classes is the number of basins. O(nk log n).
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

// leadTo assigns every sample outside the classes to the class in which its likeliest path ends.
func leadTo(g *neighbors.Graph, of []int32) {
	n := g.Len()
	// The samples that list each sample, with their weights.
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

// path leads from a sample to a closed class; its cost is minus the logarithm of the product of
// its weights.
type path struct {
	cost        float64
	from, class int32
}

// paths is a priority queue, the likeliest first.
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
