package patch

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/bandwidth"
	"github.com/orthant-go/orthant/sparse"
)

// Perplexity is the patch of t-SNE (van der Maaten and Hinton 2008, section 2): the probability that a
// sample picks a neighbour,
//
//	p(j|i) ∝ exp(−β_i d_ij²),   with β_i such that the entropy is log(perplexity),
//
// among the samples in its list. The probability of an edge is the mean of both directions divided by n, so all edges in
// both directions sum to 1. A list with at most as many samples as the perplexity has equal probabilities.
type Perplexity float64

// For returns the perplexity for n samples. The default, for 0, is 30, or (n − 1)/3 if that is less.
func (p Perplexity) For(n int) Perplexity {
	if p > 0 {
		return p
	}
	return Perplexity(max(1, bandwidth.UsualPerplexity(n)))
}

// List fills p with the probabilities of a list of ascending distances.
func (p Perplexity) List(d, probability []float64) {
	bandwidth.Probabilities(d, float64(p), probability)
}

// Lists returns the number of samples in a list: three times the perplexity.
func (p Perplexity) Lists() int {
	return int(3 * p.For(math.MaxInt))
}

// Rule returns the patch rule of these edges.
func (p Perplexity) Rule() Rule {
	return Rule{Edges: p.edges, Least: edgesBytes, AnyLists: true, Unheld: "their neighbours are infinitely far; take more neighbours"}
}

// edges returns the list entries, each with half of the probability of its edge.
func (p Perplexity) edges(in Local) (sparse.Edges, error) {
	p = p.For(in.Graph.Len())
	in.Note("perplexity_found", float64(p))
	return bandwidth.Affinities(in.Context(), in.Threads(), in.Graph, float64(p))
}
