package patch

import (
	"slices"

	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/sparse"
)

// GivenWeights is the patch (e − w)(e − w)ᵀ for the weights that come with the
// neighbourhoods; every list's must sum to 1.
// The first dim coordinates are what a warning speaks of.
func GivenWeights(dim int) Rule {
	r := givenWeights{dim}
	return Rule{Sets: withSelf, Begin: r.begin, Factor: r.factor}
}

type givenWeights struct{ dim int }

func (r givenWeights) begin(in Local) (func() Func, error) {
	if classes := neighborhood.ClosedClasses(in.Graph); classes > 1 {
		in.Warn("%d closed classes of samples have their neighbours among themselves: Φ has as many null vectors, and the first %d coordinates say little more than the class; take more neighbours, or cluster the samples and embed each cluster",
			classes, min(classes-1, r.dim))
	}
	return func() Func {
		return func(i int, dst []float64) { rankOne(in.Graph.Weights(i), dst) }
	}, nil
}

// factor: the patch is vvᵀ with v = (w; −1).
func (givenWeights) factor(in Local) (func(int) int, func() FactorFunc, error) {
	return func(int) int { return 1 }, func() FactorFunc {
		return func(i int, dst []float64) {
			dst[copy(dst, in.Graph.Weights(i))] = -1
		}
	}, nil
}

// GivenEdges is the patch of graph methods for the weights that come with the
// neighbourhoods: an edge a pair, w·(eᵢ − eⱼ)(eᵢ − eⱼ)ᵀ, where either lists the
// other, with the larger of the two weights.
func GivenEdges() Rule {
	return Rule{Edges: givenEdges, Vanishing: "all their weights are 0; take more neighbours"}
}

func givenEdges(in Local) (sparse.Edges, error) {
	g := in.Graph
	e := sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: slices.Clone(g.Weight)}
	chosen := make([]bool, len(g.Index))
	for i := range g.Len() {
		for q := g.Ptr[i]; q < g.Ptr[i+1]; q++ {
			j, mutual := int(g.Index[q]), false
			for p := g.Ptr[j]; p < g.Ptr[j+1]; p++ {
				if int(g.Index[p]) == i {
					e.Weight[q], mutual = max(e.Weight[q], g.Weight[p]), true
				}
			}
			chosen[q] = !mutual || i < j
		}
	}
	return only(e, chosen), in.Err()
}
