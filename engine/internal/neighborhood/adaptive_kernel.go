package neighborhood

import (
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// bandwidthSamples bounds the number of evenly spaced samples for the median distance, which is
// a lower bound on the bandwidths of the adaptive kernel.
const bandwidthSamples = 1000

// AdaptiveKernel returns the weight of an edge by [exemplars.AdaptiveKernel], whose
// bandwidth at a sample is the distance to its k-th neighbour, the last of its list.
func AdaptiveKernel(x samples.Samples, g *neighbors.Graph) func(i, j int, d float64) float64 {
	bandwidths := make([]float64, x.N())
	for i := range bandwidths {
		if d := g.Distances(i); len(d) > 0 {
			bandwidths[i] = d[len(d)-1]
		}
	}
	return exemplars.NewAdaptiveKernel(x, bandwidths, bandwidthSamples).Weight
}
