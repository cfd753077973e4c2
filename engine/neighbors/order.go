package neighbors

// BreadthFirst returns the samples in the order in which they are met from sample 0 on
// along the lists, nearest first (Cuthill and McKee 1969, without their degrees): samples
// that list each other are near each other in it. A sample that no list leads to follows
// the first of its own neighbours that was met. It depends on nothing but the lists. O(nk).
func (g *Graph) BreadthFirst() []int {
	n := g.Len()
	order := make([]int, 0, n)
	met := make([]bool, n)
	for first, next := 0, 0; len(order) < n; first++ {
		if met[first] {
			continue
		}
		met[first] = true
		order = append(order, first)
		for ; next < len(order); next++ {
			for _, j := range g.Of(order[next]) {
				if !met[j] {
					met[j] = true
					order = append(order, int(j))
				}
			}
		}
	}
	return order
}
