package factor

import (
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/solvers/alm"
)

// Adaptive is the solver with affinities to the k nearest samples that are learned with
// the indicators. Where memory is short distances are computed anew in every pass.
func (r ByALM) Adaptive(near neighborhood.RootNearest) ByALM {
	o := r.Options
	r.Divided = true
	r.Learn = func(job *run.Run, x samples.Samples, lambda float64) (alm.Graph, int64, error) {
		if lambda == 0 {
			return nil, 0, nil // the neighbours would be learned for nothing
		}
		defer job.Phase("neighbors")()
		with, k := o, near.Number(x.N())
		with.Lambda = lambda
		with.Kernels, with.Threads = job.Kernels(), job.Threads()
		whole, lean := alm.AdaptiveBytes(x.N(), x.M(), k, job.Threads())
		if with.Lean = job.Exceeds(whole); with.Lean {
			whole = lean
		}
		if err := job.FitBeforeSolve(x.N(), x.M(), whole, "take fewer neighbours or samples, or raise the limit"); err != nil {
			return nil, 0, err
		}
		graph, err := alm.NewAdaptive(job.Context(), x.N(), x.M(), x.Data(), k, with)
		return graph, whole, err
	}
	return r
}
