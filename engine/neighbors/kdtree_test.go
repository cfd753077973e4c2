package neighbors

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// A tree has the same nodes on any number of threads, and so the same work for every query.
func TestTreeOnThreads(t *testing.T) {
	x := Points{N: 5*sharedPoints + 3, M: 3}
	x.Data = make([]float64, x.N*x.M)
	rng := blas.NewStream(1)
	for p := range x.Data {
		x.Data[p] = float64(rng.Below(2000)) // many equal entries
	}
	one := newKDTree(x, 1)
	for _, threads := range []int{2, 3, 7} {
		many := newKDTree(x, threads)
		if !slices.Equal(one.nodes, many.nodes) || !slices.Equal(one.order, many.order) || !slices.Equal(one.points, many.points) {
			t.Errorf("the tree differs on %d threads", threads)
		}
	}
}
