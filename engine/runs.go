package engine

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
)

// RunsOptions say which factorisations of one matrix are made. Of Options, Labels,
// Landmarks, Init, Model and what is about a graph do nothing.
type RunsOptions struct {
	Options
	Ranks []int // distinct, each at most the smaller side of the data
	Runs  int   // of each rank; at least 1
	// HeldOut is a share of the entries, above 0 and below 1, that each run does not see, of
	// nmf, nmf-kl and l21-nmf: of each row so many, zeros of sparse data as well, but no whole
	// row or column. They are the same for all ranks of a run. 0: none. [ChooseRank] compares
	// the ranks by them.
	HeldOut      float64
	EntryWeights mat.Matrix // of all entries, see [FactorizeOptions]; nil: all count alike
	// Skip tells which runs are left out, counted from 0, because they were made
	// before; nil: none.
	Skip func(rank, run int) bool
	// Each is given every run as it ends, with its factors, which are not kept. An error
	// ends the work and is returned. nil: nobody is.
	Each func(r *FactorRun) error
}

// Seed is the seed of run i of any rank, counted from 0: that of the options and i. The
// run is what [Factorize] finds with it.
func (o RunsOptions) Seed(run int) uint64 { return max(1, o.Options.Seed) + uint64(run) }

// FactorRun is one factorisation of many.
type FactorRun struct {
	Rank, Run     int // Run counts from 0
	Seed          uint64
	Iterations    int
	Converged     bool
	Objective     float64
	RelativeError float64 // ‖X − WH‖_F/‖X‖_F
	Quality       *Verdict

	// HeldOut tells whether the run did not see some of the entries. HeldOutLoss is then the
	// mean loss of these, and HeldOutError ‖X − WH‖/‖X‖ over them.
	HeldOut                   bool
	HeldOutLoss, HeldOutError float64

	// W (n × rank) and H (rank × m) are given to Each alone; nil in [FactorRuns].
	W, H *mat.Dense
}

// FactorRuns are many factorisations of one matrix.
type FactorRuns struct {
	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Backend  string
	Threads  int

	Runs     []FactorRun // those that were made, by rank and run
	Plan     string
	Warnings []string

	EstimatedBytes int64   // see [Factorization]
	Seconds        Seconds // wall time: total, solve
	CPUSeconds     Seconds
}

// FactorizeRuns factorises the rows of x many times, by several ranks and from several
// starts, by nmf, nmf-kl, nmf-beta, l21-nmf or cim-nmf. The data are read once. The runs of nmf, and of nmf-kl with
// sparse data, pass over them together, so that a run takes a fraction of the time that it
// takes alone: see [nmf.FactorizeRuns]. The result of a run is that of [Factorize] with its rank and
// seed; it depends neither on the other runs nor on the number of threads.
//
// Errors are those of [Factorize], ranks that exceed the smaller side of the data, and those of Each.
func FactorizeRuns(ctx context.Context, x mat.Matrix, m Method, o RunsOptions) (*FactorRuns, error) {
	b, x, m, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	o.Options = b.options
	r := &FactorRuns{Backend: b.Kernels().Name(), Threads: blas.Threads(b.Threads())}
	r.Samples, r.Features = x.Dims()
	if err := b.restart(x, m, o, r); err != nil {
		return nil, err
	}
	r.Warnings, r.EstimatedBytes = b.Warnings(), b.Reckoned()
	r.Seconds, r.CPUSeconds = b.clock.Seconds()
	return r, nil
}

// check refuses what no data could mend.
func (o RunsOptions) check(method string) error {
	if len(o.Ranks) == 0 {
		return fmt.Errorf("%s: no ranks are given; give one at least", method)
	}
	if o.Runs < 1 {
		return fmt.Errorf("%s: %d runs of each rank; give a whole number ≥ 1", method, o.Runs)
	}
	seen := map[int]bool{}
	for _, rank := range o.Ranks {
		if seen[rank] {
			return fmt.Errorf("%s: rank %d is given twice", method, rank)
		}
		seen[rank] = true
	}
	return nil
}

// restart checks the input, resolves the parameters and makes the runs.
func (b begun) restart(x mat.Matrix, m Method, o RunsOptions, r *FactorRuns) error {
	if err := o.check(b.Method()); err != nil {
		return err
	}
	m, err := b.toFactorize(m, r.Samples, r.Features)
	if err != nil {
		return err
	}
	r.Method, r.Params = m.Name(), b.factorParams(m)
	method := rowOf(m)
	plan := method.factorize()
	if !plan.Restarts() {
		return fmt.Errorf("%s: many runs are made by %s; factorise by this one run at a time", b.Method(), strings.Join(restarting(), ", "))
	}
	given, err := b.data(x, plan.Sparse, staysSparse)
	if err != nil {
		return err
	}
	given, weights, err := b.weighted(given, m, o.EntryWeights)
	if err != nil {
		return err
	}
	points, scaled, err := b.ordinary(given)
	if err != nil {
		return err
	}
	r.Sparse = points.Compressed() != nil
	if m, err = scaled.of(m); err != nil {
		return err
	}
	if err := scaled.check(method.unitsOf()); err != nil {
		return err
	}
	var list []factor.Restart
	for _, rank := range o.Ranks {
		for run := range o.Runs {
			if o.Skip == nil || !o.Skip(rank, run) {
				list = append(list, factor.Restart{Rank: rank, Seed: o.Seed(run)})
				r.Runs = append(r.Runs, FactorRun{Rank: rank, Run: run, Seed: o.Seed(run)})
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	work := factor.Work{Run: b.Run, X: points, Weights: weights, HeldOut: o.HeldOut, Plan: rowOf(m).factorize()}
	_, takes := missingOf(m)
	if err := work.CheckHeldOut(takes, strings.Join(weighing(), ", ")); err != nil {
		return err
	}
	return work.Restart(list, func(i int, found *factor.Found) error {
		if err := b.factors(scaled, found, work.Plan.Solve.Units(), method.unitsOf()); err != nil {
			return err
		}
		run := &r.Runs[i]
		run.Iterations, run.Converged = found.Iterations, found.Converged
		run.Objective, run.RelativeError = found.Trace[len(found.Trace)-1].Objective, found.RelativeError()
		run.Quality, r.Plan = verdictOn(found.Judged), found.Plan
		run.HeldOut, run.HeldOutLoss, run.HeldOutError = o.HeldOut > 0, found.Predicted.Mean, found.Predicted.Relative
		if err := scaled.number("the loss of held-out entries", found.Predicted.Power, &run.HeldOutLoss); err != nil {
			return err
		}
		if o.Each == nil {
			return nil
		}
		whole := *run
		whole.W = mat.NewDense(r.Samples, run.Rank, found.W)
		whole.H = mat.NewDense(run.Rank, r.Features, found.H)
		return o.Each(&whole)
	})
}

// restarting are the names of the methods that make many runs.
func restarting() (names []string) {
	for _, e := range table {
		m := e.make()
		if r := atDefaults(m); r.factorize != nil && r.factorize().Restarts() {
			names = append(names, m.Name())
		}
	}
	return names
}
