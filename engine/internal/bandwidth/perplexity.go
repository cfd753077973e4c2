// Package bandwidth computes the width of a kernel from the distances of a sample to its neighbours.
package bandwidth

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// listRows is the number of lists that a worker processes at a time.
const listRows = 256

// Affinities returns the entries of the lists of a graph, each with its half of the t-SNE affinity: the mean of the
// [Probabilities] in both directions, divided by the number of samples. All edges in both directions sum to 1.
func Affinities(ctx context.Context, threads int, g *neighbors.Graph, perplexity float64) (sparse.Edges, error) {
	e := sparse.Edges{Ptr: g.Ptr, Index: g.Index, Weight: pages.Make[float64](len(g.Index))}
	share := 1 / (2 * float64(g.Len()))
	err := blas.For(ctx, threads, g.Len(), listRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			own := e.Weight[g.Ptr[i]:g.Ptr[i+1]]
			Probabilities(g.Distances(i), perplexity, own)
			blas.Scale(share, own)
		}
	})
	return e, err
}

// Probabilities fills p with the probabilities that a sample picks each of its neighbours, which have
// ascending distances d, and returns β:
//
//	p_j ∝ exp(−β d_j²),   with β such that the entropy is log(perplexity)
//
// (van der Maaten and Hinton 2008, section 2). If there are no more neighbours than the perplexity, or all are at
// distance 0, the probabilities are equal and β is 0.
func Probabilities(d []float64, perplexity float64, p []float64) (precision float64) {
	if len(d) == 0 {
		return 0
	}
	// Distances are divided by the largest before squaring, to avoid overflow.
	far := d[len(d)-1]
	if far == 0 || perplexity >= float64(len(d)) {
		for q := range p {
			p[q] = 1 / float64(len(p))
		}
		return 0
	}
	square := func(q int) float64 { // relative to the nearest
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
	b := Root(0, math.Inf(1), 1, func(precision float64) (value, slope float64) {
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

// UsualPerplexity returns the default perplexity for n samples: 30, or (n − 1)/3 if that is less.
func UsualPerplexity(n int) float64 { return min(maxUsual, float64(n-1)/3) }

// maxUsual is the default perplexity for many samples.
const maxUsual = 30
