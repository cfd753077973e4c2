package neighborhood

import "github.com/orthant-go/orthant/engine/neighbors"

// ClosedClasses counts the closed classes of the directed graph i → list of i:
// the strongly connected components that no arrow leaves. For weights that sum
// to 1 in every list, that is the dimension of the null space of (I − S)ᵀ: the
// functions that equal their own weighted means are told apart by their values on
// the recurrent classes of a Markov chain.
func ClosedClasses(g *neighbors.Graph) int {
	_, count := closedClasses(g)
	return count
}

// closedClasses numbers the closed classes; of has that of each sample, −1 of one that
// is in none. Tarjan's algorithm (1972) without recursion, linear in the lists.
func closedClasses(g *neighbors.Graph) (of []int32, count int) {
	n := g.Len()
	of = make([]int32, n)
	order := make([]int32, n) // of the first visit, counting from 1; 0: not visited
	low := make([]int32, n)
	class := make([]int32, n) // once it is complete, counting from 1
	next := make([]int, n)    // the arrow to follow next
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

// isClosed tells whether all arrows from the members of a class stay in it.
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
