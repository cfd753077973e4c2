package density

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// MutualReachability returns max(core(a), core(b), d), the distance of two samples at least one of which
// would be noise below it.
func MutualReachability(coreA, coreB, d float64) float64 { return max(coreA, coreB, d) }

// Forest returns a minimum spanning forest of a graph of n samples by Kruskal's algorithm: the given edges are candidates, in any
// order. Samples without a path between them stay apart. Edges of equal weight are taken by their smaller, then their larger
// sample. O(e log e).
func Forest(ctx context.Context, n int, edges Edges) (Edges, error) {
	order := make([]int32, len(edges.From))
	for e := range order {
		order[e] = int32(e)
		if a, b := edges.From[e], edges.To[e]; a < 0 || b < 0 || int(a) >= n || int(b) >= n {
			return Edges{}, fmt.Errorf("density: edge %d (counting from 1) joins samples %d and %d of %d, counting from 0", e+1, a, b, n)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(edges.Weight[a], edges.Weight[b]),
			cmp.Compare(min(edges.From[a], edges.To[a]), min(edges.From[b], edges.To[b])),
			cmp.Compare(max(edges.From[a], edges.To[a]), max(edges.From[b], edges.To[b])))
	})
	set, forest := sparse.NewDisjoint(n), Edges{}
	for at, e := range order {
		if at%checkEvery == 0 && ctx.Err() != nil {
			return Edges{}, ctx.Err()
		}
		a, b := set.Find(edges.From[e]), set.Find(edges.To[e])
		if a == b {
			continue
		}
		set.Join(a, b)
		forest.From, forest.To = append(forest.From, edges.From[e]), append(forest.To, edges.To[e])
		forest.Weight = append(forest.Weight, edges.Weight[e])
	}
	return forest, nil
}
