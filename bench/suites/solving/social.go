package solving

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// socialOf is the Laplacian of the largest component of a graph of edges of weight 1, whose vertices are numbered at random.
func socialOf(n int, edges [][2]int32, s *blas.Stream) (*sparse.CSR, error) {
	largest, size := largestComponent(n, edges)
	number := make([]int32, n)
	to := 0
	for _, v := range shuffled(n, s) {
		if number[v] = -1; largest[v] {
			number[v] = int32(to)
			to++
		}
	}
	e := sparse.Edges{Ptr: make([]int, size+1)}
	for _, ends := range edges {
		if from := number[ends[0]]; from >= 0 {
			e.Ptr[from+1]++
		}
	}
	for i := range size {
		e.Ptr[i+1] += e.Ptr[i]
	}
	e.Index, e.Weight = make([]int32, e.Ptr[size]), make([]float64, e.Ptr[size])
	next := slices.Clone(e.Ptr)
	for _, ends := range edges {
		if from := number[ends[0]]; from >= 0 {
			e.Index[next[from]], e.Weight[next[from]] = number[ends[1]], 1
			next[from]++
		}
	}
	return sparse.Laplacian(context.Background(), 0, e)
}

// largestComponent marks the vertices of the largest component and counts them.
func largestComponent(n int, edges [][2]int32) (inside []bool, size int) {
	sets := sparse.NewDisjoint(n)
	for _, ends := range edges {
		sets.Connect(ends[0], ends[1])
	}
	most := int32(0)
	for i := range int32(n) {
		if root := sets.Find(i); sets.Size(root) > size {
			most, size = root, sets.Size(root)
		}
	}
	inside = make([]bool, n)
	for i := range inside {
		inside[i] = sets.Find(int32(i)) == most
	}
	return inside, size
}

// recursive is a random graph by R-MAT (Chakrabarti, Zhan and Faloutsos 2004) with the quadrants .57, .19, .19 and .05 of the Graph500 benchmark: ten edges a
// vertex are drawn, loops and copies dropped, and the largest component kept. Of n vertices, a power of two, half are left about. Unlike [friends] it has
// many vertices of one neighbour, and short tails.
func recursive(n int) (*sparse.CSR, error) {
	const each = 10
	s, scale := blas.NewStream(11), 0
	for 1<<scale < n {
		scale++
	}
	keys := make([]uint64, 0, each*n)
	for range each * n {
		var a, b uint64
		for range scale {
			u := s.Uniform()
			a, b = a<<1, b<<1
			switch {
			case u < 0.57:
			case u < 0.76:
				b++
			case u < 0.95:
				a++
			default:
				a, b = a+1, b+1
			}
		}
		if a != b {
			keys = append(keys, min(a, b)<<32|max(a, b))
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	edges := make([][2]int32, len(keys))
	for i, k := range keys {
		edges[i] = [2]int32{int32(k >> 32), int32(uint32(k))}
	}
	return socialOf(1<<scale, edges, s)
}
