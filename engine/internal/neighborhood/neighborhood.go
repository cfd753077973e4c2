// Package neighborhood has the first step: who is local to a sample. A rule finds the
// neighbours of every sample, and what else it learns of them on the way.
package neighborhood

import (
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Rule finds who is local to whom.
type Rule interface {
	Find(job *run.Run, x samples.Samples) (Found, error)
	// Widen prepares the graphs of up to k neighbours instead of those that were
	// asked for, to tell which number would connect it.
	Widen(job *run.Run, x samples.Samples, k int) (narrowed func(k int) (*neighbors.Graph, error), err error)
}

// Found is what a rule found.
type Found struct {
	Graph   *neighbors.Graph
	Profile *Profile // of a rule that represents samples by weights; nil: it does not
	Cap     int      // most neighbours that a pursuit allowed; 0: any number

	Coding *Coding          // of a rule that compares codes; nil: it does not
	Affine bool             // the lists have the affinities that the caller gave for weights
	held   bool             // the caller counts the memory of the graph
	oneWay *neighbors.Graph // with each bridge in one list only, that of one bridge at most; nil: there are no bridges
	degree int              // of the lists without bridges; 0: there are none
	usual  int              // length of a list, where lists differ; 0: that of the longest
}

// Bytes is the memory of the graph that the run has to count.
func (f Found) Bytes() int64 {
	if f.held {
		return 0
	}
	return f.Graph.Bytes()
}

// Plain reports whether nothing was found but a graph.
func (f Found) Plain() bool {
	return f.Graph != nil && f.Profile == nil && f.Coding == nil && f.oneWay == nil
}

// Restrict is what was found of some of the samples, in the given order.
func (f Found) Restrict(members []int) Found {
	f.Graph, f.held = f.Graph.Restrict(members), false
	return f
}
