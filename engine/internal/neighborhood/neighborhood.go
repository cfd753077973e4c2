// Package neighborhood implements the first step: a rule finds the
// neighbours of every sample, and possibly further properties of them.
package neighborhood

import (
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Rule finds the neighbours of every sample.
type Rule interface {
	Find(job *run.Run, x samples.Samples) (Found, error)
	// Widen prepares the graphs of up to k neighbours, in place of the requested number,
	// to find the number that would connect the graph.
	Widen(job *run.Run, x samples.Samples, k int) (narrowed func(k int) (*neighbors.Graph, error), err error)
}

// Found is the result of a rule.
type Found struct {
	Graph   *neighbors.Graph
	Tree    *neighbors.Spanning // of mutual reachability, in place of the graph; nil: none
	Profile *Profile            // of a rule that represents samples by weights; otherwise nil
	Cap     int                 // most neighbours allowed by a pursuit; 0: any number

	Coding *Coding // of a rule that compares codes; otherwise nil
	Affine bool    // the weights are affinities given by the caller

	Diagonal []float64 // of these, if the method uses it; otherwise nil

	held   bool             // the caller counts the memory of the graph
	oneWay *neighbors.Graph // with each bridge in one list only, and at most one in each list; nil: there are no bridges
	degree int              // of the lists without bridges; 0: there are no bridges
	usual  int              // length of a typical list if lengths differ; 0: that of the longest
}

// Bytes returns the memory of the graph that the run has to count.
func (f Found) Bytes() int64 {
	if f.held {
		return 0
	}
	if f.Tree != nil {
		return 16*int64(cap(f.Tree.Weight)) + 8*int64(len(f.Tree.Core))
	}
	return f.Graph.Bytes()
}

// Plain reports whether the result is only a graph.
func (f Found) Plain() bool {
	return f.Graph != nil && f.Profile == nil && f.Coding == nil && f.oneWay == nil
}

// Restrict returns the result for some of the samples, in the given order, on this many threads.
func (f Found) Restrict(threads int, members []int) Found {
	f.Graph, f.held = f.Graph.RestrictParallel(threads, members), false
	if all := f.Diagonal; all != nil {
		f.Diagonal = make([]float64, len(members))
		for to, i := range members {
			f.Diagonal[to] = all[i]
		}
	}
	return f
}
