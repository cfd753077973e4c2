package patch

import (
	"sort"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// Sets are the rows that the patches touch. They are told one at a time, since all of
// them together take as much memory as the graph.
type Sets interface {
	// Len is the number of patches.
	Len() int
	// Size is the number of rows that patch i touches.
	Size(i int) int
	// Of appends those rows to dst.
	Of(i int, dst []int32) []int32
}

// Listed lists all sets, one after the other: set i is index[ptr[i]:ptr[i+1]].
func Listed(s Sets) (ptr []int, index []int32) {
	ptr = make([]int, s.Len()+1)
	for i := range s.Len() {
		ptr[i+1] = ptr[i] + s.Size(i)
	}
	index = make([]int32, 0, ptr[s.Len()])
	for i := range s.Len() {
		index = s.Of(i, index)
	}
	return ptr, index
}

// neighborhoods are the neighbours of every sample and behind them, unless that is
// excluded, the sample itself: the sets Iᵢ of the patches.
type neighborhoods struct {
	*neighbors.Graph
	excludeSelf bool
}

func (s neighborhoods) Size(i int) int {
	size := s.Ptr[i+1] - s.Ptr[i]
	if s.excludeSelf {
		return size
	}
	return size + 1
}

func (s neighborhoods) Of(i int, dst []int32) []int32 {
	dst = append(dst, s.Graph.Of(i)...)
	if s.excludeSelf {
		return dst
	}
	return append(dst, int32(i))
}

// withSelf are the neighbourhoods with the samples themselves.
func withSelf(g *neighbors.Graph) Sets { return neighborhoods{g, false} }

// entries are the two ends of each entry of the lists.
type entries struct{ *neighbors.Graph }

func (s entries) Len() int { return len(s.Index) }

func (s entries) Size(int) int { return 2 }

func (s entries) Of(e int, dst []int32) []int32 {
	i := sort.SearchInts(s.Ptr, e+1) - 1
	return append(dst, int32(i), s.Index[e])
}
