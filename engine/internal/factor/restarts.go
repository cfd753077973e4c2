package factor

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Restart is one of many factorisations of the same samples.
type Restart struct {
	Rank int
	Seed uint64
}

// Restarts reports whether the plan supports many runs over one pass of the data:
// it has no graph and a loss of nonnegative factors.
func (p Plan) Restarts() bool {
	_, by := p.Solve.(ByNMF)
	return by && p.Align == nil
}

// Restart factorises the samples many times and calls each with the result of every run, in
// the order in which they end. The result of a run equals that of a single factorisation with its rank and seed.
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
	o.TraceEvery = math.MaxInt // only the first and the last point
	x, shift, err := w.nonnegative(r.Shift)
	if err != nil {
		return err
	}
	if shift != nil {
		w.Run = w.Holding(8 * int64(x.N()) * int64(x.M()))
	}
	room := nmf.RunsBytes(x.N(), x.M(), storedEntries(x), ranks, o)
	if w.Weights.Present() || w.HeldOut > 0 { // one run at a time
		room = nmf.WeightedBytes(x.N(), x.M(), storedEntries(x), w.Weights, o)
	}
	if err := w.FitBeforeSolve(x.N(), x.M(), room, "take smaller ranks, fewer samples, or raise the limit"); err != nil {
		return err
	}
	defer w.Phase("solve")()
	said := map[string]bool{}
	var own error // error of each, not of the solver
	err = w.makeRuns(x, list, runs, o, room, func(run int, found *nmf.Result, predicted Prediction) error {
		for _, text := range found.Warnings {
			if !said[text] {
				said[text] = true
				w.Warn("%s", text)
			}
		}
		f := &Found{W: found.W, H: found.H, Trace: found.Trace, Iterations: found.Iterations, Converged: found.Converged, Plan: found.Plan, Predicted: predicted}
		f.Judged = judge(found.Trace, f.RelativeError(), found.Converged, false)
		f.Extension, f.Reason = r.extension(mat.NewDense(list[run].Rank, x.M(), found.H), shift, found)
		own = each(run, f)
		return own
	})
	if own != nil {
		return own
	}
	return w.refused(err, shift != nil)
}

// Prediction is the error of a factorisation on entries hidden from it.
type Prediction struct {
	Mean     float64 // mean loss of an entry
	Relative float64 // ‖E‖/‖X‖ over them
	Power    float64 // power of the data's unit in Mean
}

// heldOutStream is the index of the draw of a run's stream that seeds the hidden entries;
// the first draw seeds the start.
const heldOutStream = 2

// makeRuns makes the runs. If requested, each has a share of the entries hidden:
// the same ones for all ranks of a seed, so that ranks are compared on the same
// entries. room is the memory of the runs.
func (w Work) makeRuns(x samples.Samples, list []Restart, runs []nmf.Run, o nmf.Options, room int64, each func(run int, r *nmf.Result, p Prediction) error) error {
	d, err := w.data(x, o, room)
	if err != nil {
		return err
	}
	if w.HeldOut == 0 {
		return nmf.FactorizeRuns(w.Context(), d, runs, o, func(run int, r *nmf.Result) error { return each(run, r, Prediction{}) })
	}
	if err := w.Fit(20*int64(w.HeldOut*float64(x.N())*float64(x.M())), "the entries that are held out need", "hold out fewer, or raise the limit"); err != nil {
		return err
	}
	power := 2.0
	if o.Loss == nmf.KL {
		power = 1
	}
	progress, done := o.Progress, 0
	for _, seed := range seedsOf(list) {
		var group []nmf.Run
		var places []int
		for i, s := range list {
			if s.Seed == seed {
				group, places = append(group, runs[i]), append(places, i)
				o.Rank = max(o.Rank, s.Rank)
			}
		}
		held, err := nmf.HoldOut(d, w.HeldOut, heldOutSeed(seed))
		if err != nil {
			return err
		}
		seen := d.Without(held.Values)
		// The entries of the preceding seed may not have been collected yet.
		entries := 2 * (seen.Weights.Bytes() + held.Bytes())
		if err := w.FitBeforeSolve(x.N(), x.M(), nmf.WeightedBytes(x.N(), x.M(), storedEntries(x), seen.Weights, o)+entries, "hold out fewer entries, take smaller ranks, or raise the limit"); err != nil {
			return err
		}
		o.Progress = func(part float64) {
			progress((float64(done) + part*float64(len(group))) / float64(len(list)))
		}
		err = nmf.FactorizeRuns(w.Context(), seen, group, o, func(run int, r *nmf.Result) error {
			p := Prediction{Power: power}
			p.Mean, p.Relative = held.Error(o.Loss, group[run].Rank, r.W, r.H)
			return each(places[run], r, p)
		})
		if err != nil {
			return err
		}
		done += len(group)
	}
	return nil
}

// seedsOf returns the distinct seeds of runs, in order.
func seedsOf(list []Restart) (seeds []uint64) {
	for _, s := range list {
		if !slices.Contains(seeds, s.Seed) {
			seeds = append(seeds, s.Seed)
		}
	}
	return seeds
}

// heldOutSeed returns the seed of the entries hidden from the runs of a seed.
func heldOutSeed(seed uint64) uint64 {
	stream := blas.NewStream(seed)
	var v uint64
	for range heldOutStream {
		v = stream.Uint64()
	}
	return v
}

// CheckHeldOut returns an error for a share of entries that cannot be held out. takers names the methods
// that support it.
func (w Work) CheckHeldOut(takes bool, takers string) error {
	switch {
	case w.HeldOut == 0:
		return nil
	case !(w.HeldOut > 0 && w.HeldOut < 1):
		return fmt.Errorf("%s: a share of %v of the entries is held out; give a number between 0 and 1", w.Method(), w.HeldOut)
	case !takes:
		return fmt.Errorf("%s: entries are held out by %s; take one of these", w.Method(), takers)
	}
	return nil
}
