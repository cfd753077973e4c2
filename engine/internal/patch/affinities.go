package patch

import "github.com/orthant-go/orthant/sparse"

// Affinities is the rule of graph methods for a symmetric matrix of affinities: an edge a
// pair, w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ, whose sum is the Laplacian D − W. The lists are the rows of
// the matrix, with its entries for weights; each edge is taken from the list of its lower end.
func Affinities() Rule {
	return Rule{Edges: affinities, Least: edgesBytes, AnyLists: true,
		Unheld: "its row of the affinities has no positive entry off the diagonal; leave it out, or join it to others"}
}

func affinities(in Local) (sparse.Edges, error) {
	g := in.Graph
	chosen := make([]bool, len(g.Index))
	for i := range g.Len() {
		for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
			chosen[q] = i < int(g.Index[q])
		}
	}
	return only(sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: g.Weight}, chosen), in.Err()
}
