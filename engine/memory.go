package engine

import (
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// IsMemory tells whether an error means that the work would exceed Options.Memory, whether the engine
// or a solver refused it.
func IsMemory(err error) bool { return run.IsMemory(err) }

// checkMemory refuses, before any work, what the parts that are known by the sizes
// alone already exceed: the search for neighbours, their graph with the patches, and what
// the method says of itself. Every step asks for its own part once it knows it.
func (s state) checkMemory(rule patch.Rule, landmarks int) error {
	n, m, row := s.x.N(), s.x.M(), method.RowOf(s.method)
	mend := "take fewer neighbours, fewer samples, or raise the limit"
	var graph, most int64
	if k := row.Neighbors; k != nil && s.given.graph == nil {
		graph = neighbors.GraphBytes(n, min(*k, n))
		if most = graph; rule.Begin != nil || rule.Edges != nil {
			chosen := *k
			if row.Degree != nil {
				chosen = min(chosen, row.Degree(m))
			}
			most += rule.LeastBytes(n, chosen)
		}
	}
	if row.Memory != nil {
		if row.OwnLandmarks {
			landmarks = len(s.landmarks)
			mend = "embed landmarks and place the others by them (‹landmarks=M›), take fewer samples, or raise the limit"
		}
		most = max(most, graph+row.Memory(int64(n), int64(m), s.Threads(), landmarks))
	}
	return s.FitBeforeSolve(n, m, most, mend)
}
