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
	T int
	// Encode returns the code of each sample, of unit length or zero, and the samples
	// as they were coded, perhaps scaled.
	Encode func(job *run.Run, x samples.Samples) (codes, coded samples.Samples, err error)
}

// Find codes the samples and compares the codes of all pairs.
func (r SameCodes) Find(job *run.Run, x samples.Samples) (Found, error) {
	codes, coded, err := r.Encode(job, x)
	if err != nil {
		return Found{}, err
	}
	n := x.N()
	t := min(r.T, n-1)
	if t < r.T {
		job.Warn("t = %d is too many for %d samples: took %d", r.T, n, t)
	}
	g, err := closestCodes(job, coded, codes, t)
	return Found{Graph: g}, err
}

// Widen compares once and truncates.
func (r SameCodes) Widen(job *run.Run, x samples.Samples, k int) (func(k int) (*neighbors.Graph, error), error) {
	r.T = k
	wide, err := r.Find(job, x)
	return func(k int) (*neighbors.Graph, error) { return wide.Graph.Truncated(k), nil }, err
}
