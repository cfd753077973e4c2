package neighborhood

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Given is the neighbourhood of lists given by the caller in place of a search. The
// lists may have any length.
type Given struct {
	Graph  *neighbors.Graph
	Affine bool // its weights are affinities, which replace those of a method

	Diagonal []float64 // of the affinities; nil: it does not count
}

// Find returns the lists, whose memory the caller counts.
func (g Given) Find(job *run.Run, _ samples.Samples) (Found, error) {
	least, _, most := g.Graph.Degrees()
	job.Note("least_neighbors", least)
	job.Note("most_neighbors", most)
	job.Explain("neighbours: given, %d to %d a sample", least, most)
	return Found{Graph: g.Graph, held: true, Affine: g.Affine, Diagonal: g.Diagonal}, nil
}

// Widen returns an error: given lists cannot be extended.
func (Given) Widen(job *run.Run, _ samples.Samples, _ int) (func(k int) (*neighbors.Graph, error), error) {
	return nil, fmt.Errorf("%s: the neighbours were given, and there are no more of them", job.Method())
}

// Measured selects the K nearest samples by distances given by the caller.
type Measured struct {
	Distances samples.Samples // n × n
	K         int
}

// Find selects the K smallest distances of every row.
func (k Measured) Find(job *run.Run, _ samples.Samples) (Found, error) {
	g, err := k.find(job, k.K)
	return Found{Graph: g}, err
}

func (k Measured) find(job *run.Run, count int) (*neighbors.Graph, error) {
	n := k.Distances.N()
	if count >= n {
		return nil, fmt.Errorf("%s: %d neighbours requested of %d samples; give at most %d", job.Method(), count, n, n-1)
	}
	if err := job.Fit(neighbors.GraphBytes(n, count), fmt.Sprintf("the lists of the %d nearest of %d samples need", count, n), "take fewer neighbours, or raise the limit"); err != nil {
		return nil, err
	}
	job.Explain("neighbours: the %d nearest by the given distances", count)
	return neighbors.FromDistances(job.Context(), k.Distances.Points(), count, neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads()})
}

// Widen selects more distances once and truncates.
func (k Measured) Widen(job *run.Run, _ samples.Samples, count int) (func(k int) (*neighbors.Graph, error), error) {
	wide, err := k.find(job, min(count, k.Distances.N()-1))
	return func(k int) (*neighbors.Graph, error) { return wide.Truncated(k), nil }, err
}
