package patch

import "github.com/orthant-go/orthant/engine/neighbors"

// affinities is the patch of graph methods for a symmetric matrix of affinities: an edge a
// pair, w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ, whose sum is the Laplacian D − W. The lists are the rows of
// the matrix, with its entries for weights.
type affinities struct{}

// Affinities is the rule of these edges, each taken from the list of its lower end.
func Affinities() Rule {
	var r affinities
	return Rule{Sets: r.sets, Begin: r.begin, Least: edgesBytes, AnyLists: true,
		Unheld: "its row of the affinities has no positive entry off the diagonal; leave it out, or join it to others"}
}

// pairs calls edge for every pair once.
func (affinities) pairs(g *neighbors.Graph, edge func(i, j int32, w float64)) {
	for i := range g.Len() {
		weights := g.Weights(i)
		for a, j := range g.Of(i) {
			if i < int(j) {
				edge(int32(i), j, weights[a])
			}
		}
	}
}

func (r affinities) sets(g *neighbors.Graph) ([]int, []int32) {
	ptr, index := make([]int, 1, len(g.Index)/2+1), make([]int32, 0, len(g.Index))
	r.pairs(g, func(i, j int32, _ float64) {
		index = append(index, i, j)
		ptr = append(ptr, len(index))
	})
	return ptr, index
}

func (r affinities) begin(in Local) (func() Func, error) {
	weights := make([]float64, 0, len(in.Graph.Index)/2)
	r.pairs(in.Graph, func(_, _ int32, w float64) { weights = append(weights, w) })
	return func() Func {
		return func(i int, dst []float64) {
			w := weights[i]
			dst[0], dst[1], dst[2] = w, -w, w
		}
	}, nil
}
