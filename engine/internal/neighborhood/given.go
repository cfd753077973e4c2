package neighborhood

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Given is the neighbourhood of the lists that the caller gave in place of a search. The
// lists may have any length.
type Given struct {
	Graph  *neighbors.Graph
	Affine bool // its weights are affinities, which replace those of a method
}

// Find returns the lists, whose memory the caller counts.
func (g Given) Find(job *run.Run, _ samples.Samples) (Found, error) {
	least, _, most := g.Graph.Degrees()
	job.Note("least_neighbors", least)
	job.Note("most_neighbors", most)
	job.Explain("neighbours: given, %d to %d a sample", least, most)
	return Found{Graph: g.Graph, held: true, Affine: g.Affine}, nil
}

// Widen is an error: nobody but the caller can widen the lists.
func (Given) Widen(job *run.Run, _ samples.Samples, _ int) (func(k int) (*neighbors.Graph, error), error) {
	return nil, fmt.Errorf("%s: the neighbours were given, and there are no more of them", job.Method())
}
