package cluster

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/sparse"
)

// Input is what a rule finds clusters in.
type Input struct {
	X     samples.Samples     // absent: only a structure was given
	Found *neighborhood.Found // the lists of neighbours; nil: the plan has no Neighbors
	W     *sparse.CSR         // symmetric weights ≥ 0 with an empty diagonal; nil: the plan has no Edges
}

// Groups are clusters whose number was found with them.
type Groups struct {
	Labels []int64 // of each sample, below Count; −1: in no cluster
	Count  int

	Hierarchy *Hierarchy // nil: the method has none

	Iterations int
	Converged  bool

	// Rule makes the extension to new samples once the clusters are renumbered; to has the new number of
	// each. nil: none, for the reason Without.
	Rule    func(to []int64) (e *extend.Extension, reason string, err error)
	Without string // completes "there is no rule for new samples"
}

// byGroups finds clusters and their number.
func (g Plan) byGroups(job *run.Run, x samples.Samples) (*Partition, error) {
	in := Input{X: x}
	var components []int
	if g.Neighbors != nil {
		found, holding, err := g.search(job, x)
		if err != nil {
			return nil, err
		}
		in.Found, job = &found, holding
		if g.Edges.Begin != nil || g.Edges.Edges != nil {
			if in.W, err = g.weights(job, x, found); err != nil {
				return nil, err
			}
			job = job.Holding(in.W.Bytes())
			_, sizes := align.Joined(in.W).Components()
			components = align.Descending(sizes)
		}
	}
	found, err := g.Groups(job, in)
	if err != nil {
		return nil, err
	}
	r := &Partition{Clusters: found.Count, Labels: found.Labels, FirstCost: math.NaN(), Cost: math.NaN(), Next: math.NaN(),
		Hierarchy: found.Hierarchy, Iterations: found.Iterations, Converged: found.Converged, Components: components, rule: found.Rule, without: found.Without}
	if found.Count == 0 {
		r.rule, r.without = nil, ", as no clusters were found"
	}
	if g.KeepAffinities {
		r.Affinities = in.W
	}
	return r, nil
}

// weights returns the symmetric weights of the edges of a graph.
func (g Plan) weights(job *run.Run, x samples.Samples, found neighborhood.Found) (*sparse.CSR, error) {
	a, err := align.GraphTerm(align.Input{Local: patch.Local{Run: job, X: x, Graph: found.Graph}, Patch: g.Edges})
	if err != nil {
		return nil, err
	}
	return affinitiesOf(job, a.Phi)
}
