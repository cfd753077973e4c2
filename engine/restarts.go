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
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/restarts"
)

// RunsOptions configure many factorisations of one matrix. The options Labels,
// Landmarks, Init and Model and those about a graph have no effect.
type RunsOptions struct {
	Options
	Ranks []int // distinct, each at most the smaller dimension of the data
	Runs  int   // number of runs of each rank; at least 1
	// HeldOut is the share of the entries to hide from each run, above 0 and below 1, for
	// nmf, nmf-kl and l21-nmf. It is the same in every row and includes zeros of sparse data; no whole
	// row or column is hidden. Run i hides the same entries for all ranks. [ChooseRank] compares
	// ranks by the hidden entries. 0: none.
	HeldOut      float64
	EntryWeights mat.Matrix // of all entries, see [FactorizeOptions]; nil: all are equal
	// Skip reports whether to skip a run, counted from 0, because it was made
	// before; nil: none is skipped.
	Skip func(rank, run int) bool
	// Each is called with every run as it ends, including its factors, which are not kept. An error
	// ends the work and is returned. It may be nil.
	Each func(r *FactorRun) error
}

// Seed returns the seed of run i of any rank, counted from 0: the seed of the options plus i. The
// result of the run is that of [Factorize] with this seed.
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

	// HeldOut reports whether some entries were hidden from the run. HeldOutLoss is then their
	// mean loss, and HeldOutError is ‖X − WH‖/‖X‖ over them.
	HeldOut                   bool
	HeldOutLoss, HeldOutError float64

	// W (n × rank) and H (rank × m) are set only for Each; they are nil in [FactorRuns].
	W, H *mat.Dense
}

// FactorRuns is the result of [FactorizeRuns].
type FactorRuns struct {
	Method   string
	Params   map[string]any // all parameters, defaults included
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Backend  string
	Threads  int

	Runs     []FactorRun // the runs that were made, by rank and run
	Plan     string
	Warnings []string

	EstimatedBytes int64   // see [Factorization]
	Seconds        Seconds // wall time: total, solve
	CPUSeconds     Seconds
}

// FactorizeRuns factorises the rows of x many times, with several ranks and from several
// starts, by nmf, nmf-kl, nmf-beta, l21-nmf or cim-nmf. The data are read once. The runs of nmf, and
// those of nmf-kl on sparse data, share their passes over the data, so each takes a fraction of the
// time of a single run: see [nmf.FactorizeRuns]. The result of a run is that of [Factorize] with its
// rank and seed; it depends neither on the other runs nor on the number of threads.
//
// Errors are those of [Factorize], ranks that exceed the smaller dimension of the data, and errors of Each.
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
	s, stages, err := through(s, read{data: f.data}, f.standardize(), densify{remedy: staysSparse}, weigh{o.EntryWeights}, rescale{}, inUnit{f.task})
	if err != nil {
		return nil, err
	}
	r := &FactorRuns{Method: s.method.Name(), Params: s.params, Sparse: s.x.Compressed() != nil, Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads())}
	r.Samples, r.Features = f.data.Dims()
	if err := r.run(s, stages, o); err != nil {
		return nil, err
	}
	r.Warnings, r.EstimatedBytes = s.Warnings(), s.PeakBytes()
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r, nil
}

// check returns an error for options that are wrong for all data.
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

// run makes the runs that are not skipped.
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
		if !magnitude.Length("", found.Predicted.Power, &run.HeldOutLoss).Scale(s.unit) {
			return s.unit.Refuse("the loss of held-out entries would be beyond the range of numbers")
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

// restarting returns the names of the methods that support many runs.
func restarting() []string {
	return method.NamesWhere(func(_ Method, r method.Row) bool { return r.Factorize != nil && r.Factorize().Restarts() })
}

// Labels writes the largest component of each of the given samples to into, the first of equal ones.
func (r *FactorRun) Labels(some []int, into []int64) {
	for at, i := range some {
		into[at] = int64(floats.MaxIdx(r.W.RawRowView(i)))
	}
}

// Combining many runs is the subject of package [restarts].
type (
	// RankError measures how well the runs of one rank predict hidden entries.
	RankError = restarts.RankError
	// RankChoice is the choice of a rank by held-out entries.
	RankChoice = restarts.RankChoice
	// ConsensusOptions configure [FindConsensus].
	ConsensusOptions = restarts.ConsensusOptions
	// Consensus is the result of [FindConsensus].
	Consensus = restarts.Consensus
	// ConsensusPart is one component of a [Consensus].
	ConsensusPart = restarts.ConsensusPart
	// PartStability says how reliably runs find one component again.
	PartStability = restarts.PartStability
	// StabilityOptions configure [StabilityOfParts].
	StabilityOptions = restarts.StabilityOptions
)

// ChooseRank compares the ranks of runs made with [RunsOptions].HeldOut: see
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

// StabilityOfParts says of each component of one run how reliably the other runs of its rank find it again: see
// [restarts.StabilityOfParts].
func StabilityOfParts(ctx context.Context, spectra *mat.Dense, rank, run int, o StabilityOptions) ([]PartStability, error) {
	return restarts.StabilityOfParts(ctx, spectra, rank, run, o)
}

// ComparedRuns returns the runs to compare by [StabilityOfParts] with one of them: see [restarts.ComparedRuns].
func ComparedRuns(runs, rank, columns, with int) []int {
	return restarts.ComparedRuns(runs, rank, columns, with)
}

// CopheneticCorrelation measures how consistently runs group the samples: see
// [restarts.CopheneticCorrelation].
func CopheneticCorrelation(labels [][]int64) (float64, error) {
	return restarts.CopheneticCorrelation(labels)
}

// ConsensusBytes returns the memory of [FindConsensus] and [CopheneticCorrelation]: see
// [restarts.ConsensusBytes].
func ConsensusBytes(components, rank, samples, columns, levels, labels int64) int64 {
	return restarts.ConsensusBytes(components, rank, samples, columns, levels, labels)
}

// MaxLabels is the number of samples for which the labels of every run should be kept, for
// [CopheneticCorrelation].
const MaxLabels = restarts.MaxLabels

// MostLabels is [MaxLabels].
//
// Deprecated: use [MaxLabels].
const MostLabels = MaxLabels

// LabelledSamples returns the samples, out of n, whose labels to keep: see [restarts.LabelledSamples].
func LabelledSamples(n int) []int { return restarts.LabelledSamples(n) }
