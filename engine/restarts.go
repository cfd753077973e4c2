package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/restarts"
)

// RunsOptions say which factorisations of one matrix are made. Of Options, Labels,
// Landmarks, Init, Model and what is about a graph do nothing.
type RunsOptions struct {
	Options
	Ranks []int // distinct, each at most the smaller side of the data
	Runs  int   // of each rank; at least 1
	// HeldOut is a share of the entries, above 0 and below 1, that each run does not see, of
	// nmf, nmf-kl and l21-nmf: the same share of each row, zeros of sparse data as well, but no whole
	// row or column. They are the same for all ranks of a run. 0: none. [ChooseRank] compares
	// the ranks by them.
	HeldOut      float64
	EntryWeights mat.Matrix // of all entries, see [FactorizeOptions]; nil: all count alike
	// Skip says which runs are left out, counted from 0, because they were made
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

	// HeldOut reports whether the run did not see some of the entries. HeldOutLoss is then the
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
	f, s, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	o.Options = f.options
	if err := o.check(s.Method()); err != nil {
		return nil, err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return nil, err
	}
	if !method.RowOf(s.method).Factorize().Restarts() {
		return nil, fmt.Errorf("%s: many runs are made by %s; factorise by this one run at a time", s.Method(), strings.Join(restarting(), ", "))
	}
	s, stages, err := through(s, read{data: f.data}, f.standardize(), densify{remedy: staysSparse}, weigh{o.EntryWeights}, rescale{}, inUnit{f})
	if err != nil {
		return nil, err
	}
	r := &FactorRuns{Method: s.method.Name(), Params: s.params, Sparse: s.x.Compressed() != nil, Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads())}
	r.Samples, r.Features = f.data.Dims()
	if err := r.run(s, stages, o); err != nil {
		return nil, err
	}
	r.Warnings, r.EstimatedBytes = s.Warnings(), s.Reckoned()
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r, nil
}

// check refuses what is wrong for all data.
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

// run makes those of the runs that are not left out.
func (r *FactorRuns) run(s state, stages undos, o RunsOptions) error {
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
	work := factor.Work{Run: s.Run, X: s.x, Weights: s.weights, HeldOut: o.HeldOut, Plan: method.RowOf(s.method).Factorize()}
	if err := work.CheckHeldOut(method.RowOf(s.method).Missing != nil, strings.Join(weighing(), ", ")); err != nil {
		return err
	}
	return work.Restart(list, func(i int, found *factor.Found) error {
		if err := factored(found, work.Plan.Solve.Units(), s, stages); err != nil {
			return err
		}
		run := &r.Runs[i]
		run.Iterations, run.Converged = found.Iterations, found.Converged
		run.Objective, run.RelativeError = found.Trace[len(found.Trace)-1].Objective, found.RelativeError()
		run.Quality, r.Plan = verdictOn(found.Judged), found.Plan
		run.HeldOut, run.HeldOutLoss, run.HeldOutError = o.HeldOut > 0, found.Predicted.Mean, found.Predicted.Relative
		if !length("", found.Predicted.Power, &run.HeldOutLoss).scale(s.unit) {
			return s.unit.refuse("the loss of held-out entries would be beyond the range of numbers")
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
func restarting() []string {
	return method.NamesWhere(func(_ Method, r method.Row) bool { return r.Factorize != nil && r.Factorize().Restarts() })
}

// Labels enters the largest component of each of some samples, the first of equal ones.
func (r *FactorRun) Labels(some []int, into []int64) {
	for at, i := range some {
		into[at] = int64(floats.MaxIdx(r.W.RawRowView(i)))
	}
}

// What many runs say together is in package [restarts].
type (
	// RankError is how well the runs of one rank predict the entries that they did not see.
	RankError = restarts.RankError
	// RankChoice is the choice of a rank by held-out entries.
	RankChoice = restarts.RankChoice
	// ConsensusOptions say how the runs of one rank are brought together.
	ConsensusOptions = restarts.ConsensusOptions
	// Consensus is what the runs of one rank R have in common.
	Consensus = restarts.Consensus
)

// ChooseRank compares the ranks of runs that were made with [RunsOptions].HeldOut: see
// [restarts.ChooseRank].
func ChooseRank(runs []FactorRun) (*RankChoice, error) {
	held := make([]restarts.HeldOut, len(runs))
	for i, r := range runs {
		if !r.HeldOut {
			return nil, errors.New("ranks are chosen by runs that hold out entries; make them with a share of held-out entries")
		}
		held[i] = restarts.HeldOut{Rank: r.Rank, Loss: r.HeldOutLoss, Error: r.HeldOutError}
	}
	return restarts.ChooseRank(held)
}

// FindConsensus combines the components of many runs of rank R, as consensus NMF does: see
// [restarts.FindConsensus].
func FindConsensus(ctx context.Context, x mat.Matrix, spectra *mat.Dense, rank int, o ConsensusOptions) (*Consensus, error) {
	return restarts.FindConsensus(ctx, x, spectra, rank, o)
}

// CopheneticCorrelation measures how much many runs agree on which samples belong together: see
// [restarts.CopheneticCorrelation].
func CopheneticCorrelation(labels [][]int64) (float64, error) {
	return restarts.CopheneticCorrelation(labels)
}

// ConsensusBytes is the memory that [FindConsensus] and [CopheneticCorrelation] take: see
// [restarts.ConsensusBytes].
func ConsensusBytes(components, rank, samples, columns, levels, labels int64) int64 {
	return restarts.ConsensusBytes(components, rank, samples, columns, levels, labels)
}

// MostLabels is the number of samples whose labels in every run are worth keeping, for
// [CopheneticCorrelation].
const MostLabels = restarts.MostLabels

// LabelledSamples are the samples, of n, whose labels are kept: see [restarts.LabelledSamples].
func LabelledSamples(n int) []int { return restarts.LabelledSamples(n) }
