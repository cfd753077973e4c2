package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// MiniBatch says how solver=minibatch learns: see [nmf.Online].
type MiniBatch struct {
	Batch    int     `json:"batch" default:"1024" allowed:"≥ 1" doc:"for solver=minibatch: the samples of one batch, after which H is updated; two batches are held in memory"`
	Forget   float64 `json:"forget" default:"0.01" allowed:"> 0" doc:"for solver=minibatch, at most 1: the share of the past that remains after one pass over the samples; a larger share is steadier and slower"`
	Patience *int    `json:"patience" default:"10" allowed:"≥ 0" doc:"for solver=minibatch: stop after this many batches without a new minimum of the smoothed error; 0: never"`
}

func (g MiniBatch) give(r *factor.ByNMF) {
	r.Batches = nmf.Batches{Rows: g.Batch, Forget: g.Forget, Patience: defaultPatience}
	if g.Patience != nil {
		r.Batches.Patience = *g.Patience
	}
}

const (
	defaultPatience = 10
	// batchPasses is the default of iterations, which are passes over the samples.
	batchPasses = 20
)

// settlePasses fills in the passes.
func settlePasses(solver string, u *Updates) {
	if solver == nmf.MiniBatch && u.Iterations == 0 {
		u.Iterations = batchPasses
	}
}

// check refuses a factor of no meaning.
func (g MiniBatch) check(method string) error {
	if g.Forget > 1 {
		return wording.Errorf("%s: ‹forget› is %v; give a number above 0, at most 1", method, g.Forget)
	}
	return nil
}

// DivergenceSolver says how the divergence is lowered.
type DivergenceSolver struct {
	Solver string `json:"solver" default:"mu" allowed:"mu|minibatch" doc:"multiplicative updates over all samples, or batch by batch, for data that need not fit into memory"`
}

func (g DivergenceSolver) give(r *factor.ByNMF) { r.Solver = g.Solver }
