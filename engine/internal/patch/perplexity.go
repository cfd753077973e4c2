package patch

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/sparse"
)

// Perplexity is the patch of t-SNE (van der Maaten and Hinton 2008, section 2): the probability that a
// sample picks a neighbour,
//
//	p(j|i) ∝ exp(−β_i d_ij²),   with β_i such that the entropy is log(perplexity),
//
// among the samples in its list, and of an edge the mean of both directions, over n: all edges in both
// directions sum to 1. A list of no more samples than the perplexity has equal probabilities.
type Perplexity float64

// For is the perplexity for n samples: 30, or a third of the others where these are few, in the place of 0.
func (p Perplexity) For(n int) Perplexity {
	if p > 0 {
		return p
	}
	return Perplexity(min(usualPerplexity, max(1, float64(n-1)/3)))
}

const usualPerplexity = 30

// List fills p with the probabilities of a list of ascending distances.
func (p Perplexity) List(d, probability []float64) { probabilities(d, float64(p), probability) }

// Lists is the number of samples in a list: three times the perplexity.
func (p Perplexity) Lists() int {
	if p == 0 {
		p = usualPerplexity
	}
	return int(3 * p)
}

// Rule is the patch rule of these edges.
func (p Perplexity) Rule() Rule {
	return Rule{Edges: p.edges, Least: edgesBytes, AnyLists: true, Unheld: "their neighbours are infinitely far; take more neighbours"}
}

// edges are the entries of the lists, each with its half of the probability of its edge.
func (p Perplexity) edges(in Local) (sparse.Edges, error) {
	g := in.Graph
	p = p.For(g.Len())
	in.Note("perplexity_found", float64(p))
	e := sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: pages.Make[float64](len(g.Index))}
	share := 1 / (2 * float64(g.Len()))
	err := blas.For(in.Context(), in.Threads(), g.Len(), edgeRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			own := e.Weight[g.Ptr[i]:g.Ptr[i+1]]
			probabilities(g.Distances(i), float64(p), own)
			blas.Scale(share, own)
		}
	})
	return e, err
}

// probabilities fills p with those of samples at ascending distances d, and returns β.
func probabilities(d []float64, perplexity float64, p []float64) (precision float64) {
	if len(d) == 0 {
		return 0
	}
	// Squares are taken of shares of the largest distance, of which none is too large.
	far := d[len(d)-1]
	if far == 0 || perplexity >= float64(len(d)) {
		for q := range p {
			p[q] = 1 / float64(len(p))
		}
		return 0
	}
	square := func(q int) float64 { // above that of the nearest
		a, b := d[q]/far, d[0]/far
		return float64((a - b) * (a + b))
	}
	entropy := func(precision float64) (value, slope float64) {
		var sum, first, second float64
		for q := range d {
			s := square(q)
			p[q] = math.Exp(-precision * s)
			sum += p[q]
			first += float64(p[q] * s)
			second += float64(p[q] * s * s)
		}
		mean := first / sum
		return math.Log(sum) + float64(precision*mean), -precision * (second/sum - float64(mean*mean))
	}
	goal := math.Log(perplexity)
	b := root(0, math.Inf(1), 1, func(precision float64) (value, slope float64) {
		value, slope = entropy(precision)
		return goal - value, -slope
	})
	var sum float64
	for q := range d {
		p[q] = math.Exp(-b * square(q))
		sum += p[q]
	}
	blas.Scale(1/sum, p)
	return b / (far * far)
}
