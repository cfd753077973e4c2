package engine

import "github.com/orthant-go/orthant/engine/neighbors"

// nearest is the neighbourhood of the k nearest samples by Euclidean distance,
// the sample itself left out.
type nearest int

func (k nearest) find(p *problem) (*neighbors.Graph, error) { return k.widen(p, int(k)) }

func (nearest) widen(p *problem, k int) (*neighbors.Graph, error) {
	return neighbors.Exact(p.ctx, p.x, k, neighbors.Options{
		Kernels: p.kernels, Threads: p.options.Threads, Progress: p.fraction("neighbors"),
	})
}

// withSelf lists for every sample its neighbours and then itself: the set Iᵢ of
// the patches.
func withSelf(g *neighbors.Graph) (ptr []int, index []int32) {
	n := g.Len()
	ptr, index = make([]int, n+1), make([]int32, 0, len(g.Index)+n)
	for i := range n {
		index = append(append(index, g.Of(i)...), int32(i))
		ptr[i+1] = len(index)
	}
	return ptr, index
}
