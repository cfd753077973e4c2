package neighborhood

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// OfExemplars returns only the neighbourhoods of exemplars, with their weights: selective
// regularisation, which keeps together the samples close to a sample that represents
// others. Samples that are not chosen have empty lists.
type OfExemplars struct {
	Nearest RootNearest
	Weights string // adaptive or binary
	Count   *int   // number of exemplars; nil: a tenth of the samples
	// Choose returns count exemplars.
	Choose func(job *run.Run, x samples.Samples, count int) ([]int, error)
}

// number returns τ, the number of exemplars among n samples.
func (r OfExemplars) number(n int) int {
	if r.Count != nil {
		return *r.Count
	}
	return max(1, int(math.Round(0.1*float64(n))))
}

// Find searches the neighbours of all samples and keeps those of the exemplars.
func (r OfExemplars) Find(job *run.Run, x samples.Samples) (Found, error) {
	near, err := r.Nearest.Find(job, x)
	if err != nil {
		return Found{}, err
	}
	all := near.Graph
	weight := func(_, _ int, _ float64) float64 { return 1 }
	if r.Weights == "adaptive" {
		weight = AdaptiveKernel(x, all)
	}
	chosen, err := r.Choose(job, x, r.number(x.N()))
	if err != nil {
		return Found{}, err
	}
	job.Note("exemplars", chosen)
	is := make([]bool, x.N())
	for _, i := range chosen {
		is[i] = true
	}
	g := &neighbors.Graph{Ptr: make([]int, x.N()+1)}
	for i := range x.N() {
		if is[i] {
			for a, j := range all.Of(i) {
				d := all.Distances(i)[a]
				g.Index, g.Dist, g.Weight = append(g.Index, j), append(g.Dist, d), append(g.Weight, weight(i, int(j), d))
			}
		}
		g.Ptr[i+1] = len(g.Index)
	}
	return Found{Graph: g}, nil
}

// Widen prepares the graphs of the neighbours of all samples.
func (r OfExemplars) Widen(job *run.Run, x samples.Samples, k int) (func(int) (*neighbors.Graph, error), error) {
	return r.Nearest.Widen(job, x, k)
}
