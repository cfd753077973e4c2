package selective

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/solvers/exemplars"
	"github.com/orthant-go/orthant/sparse"
)

// Exemplars returns the chosen samples, ascending: all where none are chosen.
func (g *Graph) Exemplars() []int { return slices.Clone(g.mask.exemplars) }

// Learned returns Ẑ: row i has what exemplar i means to its neighbours; the rows of
// other samples are empty.
func (g *Graph) Learned() *sparse.CSR { return copied(&g.mask.kept) }

// Encoding returns Z, which changes with the next Update.
func (g *Graph) Encoding() *exemplars.Encoding { return g.z }

// Delta returns δ of the fast form, 0 of the other.
func (g *Graph) Delta() float64 { return g.delta }

// Dissimilarities returns D of the samples: kernel-mapped, or distances over the largest
// (with a raised diagonal where samples do not stand for themselves).
func (g *Graph) Dissimilarities() *exemplars.Packed { return g.d }

// Norms returns the Euclidean norms of the rows of Z.
func (g *Graph) Norms() []float64 {
	norms := make([]float64, g.n)
	for j := range g.n {
		rows, values := g.z.Column(j)
		for q, i := range rows {
			norms[i] += values[q] * values[q]
		}
	}
	for i, v := range norms {
		norms[i] = math.Sqrt(v)
	}
	return norms
}
