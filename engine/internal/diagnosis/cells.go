package diagnosis

import (
	"slices"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// gatheringBytes is the memory of the reverse lists, the cells and their members.
func gatheringBytes(g *neighbors.Graph) int64 { return 4*int64(len(g.Index)) + 28*int64(g.Len()) }

// union is a graph with its lists and the reverse of them: who lists a sample.
type union struct {
	*neighbors.Graph
	ptr     []int
	reverse []int32
}

func bothWays(g *neighbors.Graph) union {
	n := g.Len()
	u := union{g, make([]int, n+1), make([]int32, len(g.Index))}
	for _, j := range g.Index {
		u.ptr[j+1]++
	}
	for i := range n {
		u.ptr[i+1] += u.ptr[i]
	}
	next := slices.Clone(u.ptr[:n])
	for i := range n {
		for _, j := range g.Of(i) {
			u.reverse[next[j]] = int32(i)
			next[j]++
		}
	}
	return u
}

// lists are the samples that sample i lists, and those that list it.
func (u union) lists(i int) [2][]int32 {
	return [2][]int32{u.Of(i), u.reverse[u.ptr[i]:u.ptr[i+1]]}
}

// cells gathers the samples around the centres, by breadth first. Of the centres at the same
// number of steps the first takes a sample. Samples that no centre reaches are in none, −1.
func (u union) cells(some []int) []int32 {
	n := u.Len()
	cell, queue := make([]int32, n), make([]int32, 0, n)
	for i := range cell {
		cell[i] = -1
	}
	for c, i := range some {
		cell[i] = int32(c)
		queue = append(queue, int32(i))
	}
	for at := 0; at < len(queue); at++ {
		i := int(queue[at])
		for _, list := range u.lists(i) {
			for _, j := range list {
				if cell[j] < 0 {
					cell[j] = cell[i]
					queue = append(queue, j)
				}
			}
		}
	}
	return cell
}

// gathered lists the members of the cells, cell after cell, and counts those of each.
func gathered(cell []int32, count int) (members []int32, sizes []int) {
	sizes = make([]int, count)
	total := 0
	for _, c := range cell {
		if c >= 0 {
			sizes[c]++
			total++
		}
	}
	next := make([]int, count)
	for c := range count - 1 {
		next[c+1] = next[c] + sizes[c]
	}
	members = make([]int32, total)
	for i, c := range cell {
		if c >= 0 {
			members[next[c]] = int32(i)
			next[c]++
		}
	}
	return members, sizes
}

// between counts the entries of the lists between each two cells, both ways added, into a
// symmetric matrix, which is nil where only their number is asked for, and returns that of the
// pairs with any. O(Nk).
func (u union) between(cell, members []int32, sizes []int, into *sparse.CSR) (pairs int) {
	entries, reached := make([]int, len(sizes)), make([]int32, 0, len(sizes))
	for c, size := range sizes {
		for _, i := range members[:size] {
			for _, list := range u.lists(int(i)) {
				for _, j := range list {
					if b := cell[j]; b >= 0 && int(b) != c {
						if entries[b] == 0 {
							reached = append(reached, b)
						}
						entries[b]++
					}
				}
			}
		}
		members = members[size:]
		if into != nil {
			slices.Sort(reached)
			for _, b := range reached {
				into.Col, into.Val = append(into.Col, b), append(into.Val, float64(entries[b]))
			}
			into.Ptr[c+1] = len(into.Col)
		}
		for _, b := range reached {
			entries[b] = 0
		}
		pairs += len(reached)
		reached = reached[:0]
	}
	return pairs
}

// weights is the matrix of [union.between], of so many pairs.
func (u union) weights(cell, members []int32, sizes []int, pairs int) *sparse.CSR {
	n := len(sizes)
	w := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, 0, pairs), Val: make([]float64, 0, pairs)}
	u.between(cell, members, sizes, w)
	return w
}
