package engine

import (
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// IsMemory tells whether an error means that the work would exceed Options.Memory, whether the engine
// or a solver refused it.
func IsMemory(err error) bool { return run.IsMemory(err) }

// checkMemory refuses, before any work, what the parts that are known by the sizes
// alone already exceed: the search for neighbours, their graph with the patches, and what
// the method says of itself. Every step asks for its own part once it knows it.
func (b begun) checkMemory(at locality, method row, rule patch.Rule) error {
	n, m := at.x.N(), at.x.M()
	mend := "take fewer neighbours, fewer samples, or raise the limit"
	var graph, most int64
	if k := method.neighbors; k != nil && b.graph == nil {
		graph = neighbors.GraphBytes(n, min(*k, n))
		if most = graph; rule.Begin != nil || rule.Edges != nil {
			chosen := *k
			if method.degree != nil {
				chosen = min(chosen, method.degree(m))
			}
			most += rule.LeastBytes(n, chosen)
		}
	}
	if method.memory != nil {
		landmarks := b.options.Landmarks
		if method.ownLandmarks {
			landmarks = len(at.landmarks)
			mend = "embed landmarks and place the others by them (‹landmarks=M›), take fewer samples, or raise the limit"
		}
		most = max(most, graph+method.memory(int64(n), int64(m), b.Threads(), landmarks))
	}
	return b.FitBeforeSolve(n, m, most, mend)
}
