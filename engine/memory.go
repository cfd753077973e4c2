package engine

import (
	"github.com/orthant-go/orthant/engine/internal/run"
)

// IsMemory tells whether an error is the refusal of work beyond Options.Memory, by
// the engine or by the solver that it leaves the rest to.
func IsMemory(err error) bool { return run.IsMemory(err) }

// checkMemory refuses what the parts that are known before the work would
// already exceed; the eigensolver refuses its own part once it knows it.
func (b begun) checkMemory(at locality, method row, patches bool) error {
	n, cols := int64(at.x.N()), int64(at.x.M())
	need := 8 * n * cols
	mend := "take fewer neighbours, fewer samples, or raise the limit"
	if method.memory != nil {
		landmarks := b.options.Landmarks
		if method.ownLandmarks {
			landmarks = len(at.landmarks)
			mend = "embed landmarks and place the others by them (--set landmarks=M), take fewer samples, or raise the limit"
		}
		need += method.memory(n, cols, b.Threads(), landmarks)
	}
	switch k := method.neighbors; {
	case k != nil && !patches:
		need += n * int64(*k) * 48 // the lists, and the graph of their union
	case k != nil:
		size := int64(*k) + 1
		if method.degree != nil {
			size = min(size, int64(method.degree(at.x.M()))+1)
		}
		// The graph, the patches, and an alignment matrix with every entry shared by
		// no more than two patches.
		need += n*int64(*k)*12 + n*size*(size+1)*4 + 12*n*min(n, size*size/2)
	default:
		order := min(n, cols)
		need += 8*n*cols + 16*order*order
	}
	return b.FitBeforeSolve(at.x.N(), at.x.M(), need, mend)
}
