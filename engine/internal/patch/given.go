package patch

import (
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/neighbors"
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
	var r givenEdges
	return Rule{Sets: r.sets, Begin: r.begin, Vanishing: "all their weights are 0; take more neighbours"}
}

type givenEdges struct{}

// pairs calls edge for every pair once, in the order of the lists.
func (givenEdges) pairs(g *neighbors.Graph, edge func(i, j int32, w float64)) {
	for i := range int32(g.Len()) {
		for a, j := range g.Of(int(i)) {
			w, mutual := g.Weights(int(i))[a], false
			for b, back := range g.Of(int(j)) {
				if back == i {
					w, mutual = max(w, g.Weights(int(j))[b]), true
				}
			}
			if !mutual || i < j {
				edge(i, j, w)
			}
		}
	}
}

func (r givenEdges) sets(g *neighbors.Graph) ([]int, []int32) {
	ptr, index := []int{0}, []int32{}
	r.pairs(g, func(i, j int32, _ float64) {
		index = append(index, i, j)
		ptr = append(ptr, len(index))
	})
	return ptr, index
}

func (r givenEdges) begin(in Local) (func() Func, error) {
	var weights []float64
	r.pairs(in.Graph, func(_, _ int32, w float64) { weights = append(weights, w) })
	return func() Func {
		return func(i int, dst []float64) {
			w := weights[i]
			dst[0], dst[1], dst[2] = w, -w, w
		}
	}, nil
}
