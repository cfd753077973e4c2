package extend

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// DensityMap gives a new sample the label of the training sample at the smallest mutual reachability distance
// among the 2·MinSamples nearest, if that distance is within the reach of the cluster; otherwise −1 (approximate_predict of McInnes, Healy and Astels 2017).
type DensityMap struct {
	Searched
	MinSamples int       // for core distances, the sample itself included
	Core       []float64 // of the training samples
	Labels               // −1: noise
	Reach      []float64 // of each cluster, the largest distance
}

// Kind returns "density".
func (DensityMap) Kind() string { return "density" }

// ByDensity is the extension of a density clustering.
func ByDensity(job *run.Run, x samples.Samples, minSamples int, core []float64, labels []int64, reach []float64) *Extension {
	finite := make([]float64, len(core))
	for i, c := range core {
		finite[i] = min(c, math.MaxFloat64)
	}
	return &Extension{Map: DensityMap{Searched: Fit{Run: job, X: x}.nearest(2 * minSamples), MinSamples: minSamples, Core: finite,
		Labels: Labels{labels, len(reach)}, Reach: reach}}
}

func (m DensityMap) prepare(r Resources) (*Mapping, error) {
	s, err := m.search(r)
	if err != nil {
		return nil, err
	}
	return s.labelling(func() func(list []int32, distances []float64) int64 { return m.label }), nil
}

// label returns the label for the nearest training samples of a new one.
func (m DensityMap) label(near []int32, distances []float64) int64 {
	own := 0.0
	if k := m.MinSamples - 1; k > 0 {
		own = distances[min(k, len(distances))-1]
	}
	best, at := math.Inf(1), int32(-1)
	for q, j := range near {
		if d := max(distances[q], own, m.Core[j]); d < best {
			best, at = d, j
		}
	}
	if at >= 0 {
		if c := m.Of[at]; c >= 0 && best <= m.Reach[c] {
			return c
		}
	}
	return -1
}
