package neighborhood

import (
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// SameCodes is the neighbourhood of the t samples whose codes have the largest cosines
// with the sample's own, those that are positive; where there are none, those whose
// directions are closest.
type SameCodes struct {
	T      int
	Encode func(job *run.Run, x samples.Samples) (*Coding, error)
}

// Coding are the codes of samples over some of them.
type Coding struct {
	Codes     samples.Samples // one a sample, of unit length or zero
	Coded     samples.Samples // the samples as they were coded, scaled
	Scaling   samples.Scaling
	Exemplars []int // those that they are coded by, in the order of choice
}

// Find codes the samples and compares the codes of all pairs.
func (r SameCodes) Find(job *run.Run, x samples.Samples) (Found, error) {
	c, err := r.Encode(job, x)
	if err != nil {
		return Found{}, err
	}
	n := x.N()
	t := min(r.T, n-1)
	if t < r.T {
		job.Warn("t = %d is too many for %d samples: took %d", r.T, n, t)
	}
	g, err := closestCodes(job, c.Coded, c.Codes, t)
	return Found{Graph: g, Coding: c}, err
}

// Widen compares once and truncates.
func (r SameCodes) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	r.T = k
	wide, err := r.Find(job, x)
	return func(k int) (*neighbors.Graph, error) { return wide.Graph.Truncated(k), nil }, err
}
