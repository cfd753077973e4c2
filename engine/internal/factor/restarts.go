package factor

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Restart is one of many factorisations of the same samples.
type Restart struct {
	Rank int
	Seed uint64
}

// Restarts tells whether the plan can be started many times over one pass of the data:
// without a graph, by a loss of nonnegative factors.
func (p Plan) Restarts() bool {
	_, by := p.Solve.(ByNMF)
	return by && p.Align == nil
}

// Restart factorises the samples many times and gives what each finds to a function, in
// the order in which they end. Each finds what a factorisation with its rank and seed finds.
func (w Work) Restart(list []Restart, each func(run int, f *Found) error) error {
	r := w.Plan.Solve.(ByNMF)
	runs, ranks := make([]nmf.Run, len(list)), make([]int, len(list))
	least := min(w.X.N(), w.X.M())
	for i, s := range list {
		if s.Rank < 1 || s.Rank > least {
			return fmt.Errorf("%s: rank %d for %d × %d data; give ranks from 1 to %d", w.Method(), s.Rank, w.X.N(), w.X.M(), least)
		}
		runs[i], ranks[i] = nmf.Run{Rank: s.Rank, Seed: blas.NewStream(s.Seed).Uint64()}, s.Rank
	}
	if r.Fixed != "" && r.Fixed != nmf.NoneFixed {
		return wording.Errorf("%s: many runs start at random, and ‹fixed=%s› needs a factor that is given; factorise once, or choose ‹fixed=none›", w.Method(), r.Fixed)
	}
	w.Rank = slices.Max(ranks)
	o, err := r.options(w)
	if err != nil {
		return err
	}
	o.TraceEvery = math.MaxInt // the first point and the last
	x, shift, err := w.nonnegative(r.Shift)
	if err != nil {
		return err
	}
	if shift != nil {
		w.Run = w.Holding(8 * int64(x.N()) * int64(x.M()))
	}
	room := nmf.RunsBytes(x.N(), x.M(), storedEntries(x), ranks, o)
	if w.Weights.Present() || w.HeldOut > 0 { // one run after the other
		room = nmf.WeightedBytes(x.N(), x.M(), storedEntries(x), w.Weights, o)
	}
	if err := w.FitBeforeSolve(x.N(), x.M(), room, "take smaller ranks, fewer samples, or raise the limit"); err != nil {
		return err
	}
	defer w.Phase("solve")()
	said := map[string]bool{}
	var own error // of each, which is not the solver's
	err = w.makeRuns(x, list, runs, o, func(run int, found *nmf.Result, predicted Prediction) error {
		for _, text := range found.Warnings {
			if !said[text] {
				said[text] = true
				w.Warn("%s", text)
			}
		}
		f := &Found{W: found.W, H: found.H, Trace: found.Trace, Iterations: found.Iterations, Converged: found.Converged, Plan: found.Plan, Predicted: predicted}
		f.Judged = judge(found.Trace, f.RelativeError(), found.Converged, false)
		f.Extension, f.Reason = r.extension(mat.NewDense(list[run].Rank, x.M(), found.H), shift, found.Share)
		own = each(run, f)
		return own
	})
	if own != nil {
		return own
	}
	return w.refused(err, shift != nil)
}
