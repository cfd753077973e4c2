package solving

import (
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// edge joins two vertices with a weight.
type edge struct {
	a, b   int32
	weight float64
}

// laplacian is D − W of a graph whose vertices are numbered at random, so that no solver
// finds an order in the numbers.
func laplacian(n int, edges []edge, s *blas.Stream) (*sparse.CSR, error) {
	number := shuffled(n, s)
	t := make([]sparse.Triplet, 0, 4*len(edges))
	for _, e := range edges {
		a, b := int(number[e.a]), int(number[e.b])
		t = append(t, sparse.Triplet{Row: a, Col: b, Val: -e.weight}, sparse.Triplet{Row: b, Col: a, Val: -e.weight},
			sparse.Triplet{Row: a, Col: a, Val: e.weight}, sparse.Triplet{Row: b, Col: b, Val: e.weight})
	}
	return sparse.FromTriplets(n, n, t)
}

func shuffled(n int, s *blas.Stream) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := s.Below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// roads is a planar graph like one of roads: a square grid of about n crossings, from
// which two fifths of the streets across are taken but for the first, with lengths.
func roads(n int) (*sparse.CSR, error) {
	side, s := root(n, 2), blas.NewStream(1)
	var edges []edge
	for y := range side {
		for x := range side {
			at := int32(y*side + x)
			if x+1 < side && (y == 0 || s.Uniform() > 0.4) {
				edges = append(edges, edge{at, at + 1, 1 + s.Uniform()})
			}
			if y+1 < side {
				edges = append(edges, edge{at, at + int32(side), 1 + s.Uniform()})
			}
		}
	}
	return laplacian(side*side, edges, s)
}

// lattice is a cubic grid of about n vertices with weights between 1 and 2.
func lattice(n int) (*sparse.CSR, error) {
	side, s := root(n, 3), blas.NewStream(2)
	var edges []edge
	for z := range side {
		for y := range side {
			for x := range side {
				at := int32((z*side+y)*side + x)
				for _, next := range []struct {
					inside bool
					step   int
				}{{x+1 < side, 1}, {y+1 < side, side}, {z+1 < side, side * side}} {
					if next.inside {
						edges = append(edges, edge{at, at + int32(next.step), 1 + s.Uniform()})
					}
				}
			}
		}
	}
	return laplacian(side*side*side, edges, s)
}

// root is the whole number whose power is nearest to n.
func root(n, power int) int {
	side := 1
	for pow(side+1, power) <= n {
		side++
	}
	if pow(side+1, power)-n < n-pow(side, power) {
		side++
	}
	return side
}

func pow(base, power int) int {
	p := 1
	for range power {
		p *= base
	}
	return p
}

// friendships is the number of friends that a new vertex of [friends] makes.
const friendships = 5

// friends is a random graph like a social network (Holme and Kim 2002): every new vertex
// joins a vertex drawn in proportion to its degree, and then with probability 0.7 a
// neighbour of that one, else another so drawn, five in all. Degrees follow a power law,
// friends of friends are friends, and no small set of vertices cuts it in two.
func friends(n int) (*sparse.CSR, error) {
	s := blas.NewStream(3)
	var edges []edge
	var ends []int32 // each vertex as often as it has edges
	lists := make([][]int32, n)
	join := func(a, b int32) bool {
		if a == b || slices.Contains(lists[a], b) {
			return false
		}
		lists[a], lists[b] = append(lists[a], b), append(lists[b], a)
		ends = append(ends, a, b)
		edges = append(edges, edge{a, b, 1})
		return true
	}
	for i := int32(1); i <= friendships; i++ {
		for j := range i {
			join(i, j)
		}
	}
	for i := int32(friendships + 1); int(i) < n; i++ {
		last := int32(-1)
		for made := 0; made < friendships; {
			to := ends[s.Below(len(ends))]
			if last >= 0 && s.Uniform() < 0.7 {
				to = lists[last][s.Below(len(lists[last]))]
			}
			if to < i && join(i, to) {
				last = to
				made++
			} else if last >= 0 && s.Uniform() < 0.1 {
				last = -1 // all friends of that one may be friends already
			}
		}
	}
	return laplacian(n, edges, s)
}
