package engine

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// bandwidthSamples are at most so many samples, evenly spaced, for the median distance that
// floors the bandwidths of the adaptive kernel.
const bandwidthSamples = 1000

// rootNearest is the neighbourhood of the k nearest samples, ⌊√n⌋ where no number was
// given.
type rootNearest struct{ k *int }

// number is k for n samples.
func (r rootNearest) number(n int) int {
	if r.k != nil {
		return *r.k
	}
	return max(1, int(math.Sqrt(float64(n))))
}

func (r rootNearest) find(p *problem) (*neighbors.Graph, error) {
	return nearest(r.number(p.x.N)).find(p)
}

func (r rootNearest) widen(p *problem, k int) (func(k int) (*neighbors.Graph, error), error) {
	return nearest(r.number(p.x.N)).widen(p, k)
}

// adaptiveKernel returns the weight of an edge by [exemplars.AdaptiveKernel], whose
// bandwidth at a sample is the distance to its k-th neighbour, the last of its list.
func adaptiveKernel(p *problem) func(i, j int, d float64) float64 {
	bandwidths := make([]float64, p.x.N)
	for i := range bandwidths {
		if d := p.graph.Distances(i); len(d) > 0 {
			bandwidths[i] = d[len(d)-1]
		}
	}
	return exemplars.NewAdaptiveKernel(blas.Rows(p.x), bandwidths, bandwidthSamples).Weight
}
