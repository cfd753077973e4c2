package nmf

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// withDefaults returns the options with their defaults, or what is wrong with them.
func (o Options) withDefaults(d Data) (Options, error) {
	o.Loss = o.Loss.orDefault()
	setDefault(&o.Solver, Multiplicative)
	setDefault(&o.Order, BasisFirst)
	setDefault(&o.Fixed, NoneFixed)
	if o.Penalties.Present() || o.Order == WFirst || o.Fixed != NoneFixed {
		setDefault(&o.Normalize, Never)
	}
	setDefault(&o.Normalize, AtEnd)
	setDefault(&o.Schedule, Paper)
	setDefault(&o.Sigma.Scale, MeanScale)
	setDefault(&o.Stop, Change)
	setDefault(&o.Init, RandomStart)
	for _, check := range []func() error{o.checkNames, o.checkNumbers, o.Penalties.check, o.checkPenalties, o.checkStop, o.checkOrder, o.checkFixed, o.checkBeta, o.checkBatches, func() error { return o.checkTogether(d) }} {
		if err := check(); err != nil {
			return o, err
		}
	}
	if o.Solver == MiniBatch {
		o.setBatches()
	}
	setPositive(&o.Iterations, 200)
	setPositive(&o.TraceEvery, 10)
	setPositive(&o.Sigma.Theta, 0.5)
	setPositive(&o.Sigma.Floor, 1e-12)
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	if o.Watch == nil {
		o.Watch = func(Point) bool { return false }
	}
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return o, err
		}
		o.Kernels = kernels
	}
	return o, nil
}

func (o Options) checkNames() error {
	for _, c := range []struct {
		name, value string
		known       []string
	}{
		{"solver", o.Solver, []string{Multiplicative, HALS, MiniBatch}},
		{"order", o.Order, []string{BasisFirst, CodesFirst, WFirst}},
		{"normalise", o.Normalize, []string{AtEnd, EachIteration, Never}},
		{"stop", o.Stop, []string{Change, RelativeDecrease, Violation}},
		{"schedule", o.Schedule, []string{Paper, Refresh}},
		{"scale", o.Sigma.Scale, []string{MeanScale, MedianScale}},
		{"fixed", o.Fixed, []string{NoneFixed, WFixed, HFixed}},
		{"init", o.Init, []string{RandomStart, NNDSVD, NNDSVDMean, NNDSVDRandom, Given}},
	} {
		if err := oneOf(c.name, c.value, c.known); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) checkNumbers() error {
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"λ", o.Lambda}, {"the tolerance", o.Tolerance}, {"the tolerance of the objective", o.Settle},
		{"θ", o.Sigma.Theta}, {"the floor of σ²", o.Sigma.Floor}, {"σ²", o.Sigma.Fixed},
	} {
		if !(c.value >= 0) || c.value-c.value != 0 {
			return fmt.Errorf("nmf: %s is %v; give a finite number ≥ 0", c.name, c.value)
		}
	}
	for _, c := range []struct {
		name  string
		value int
	}{
		{"iterations", o.Iterations}, {"warm iterations", o.Warm}, {"sweeps", o.Sweeps},
		{"iterations before σ² freezes", o.Sigma.FreezeAfter}, {"iterations between points of the trace", o.TraceEvery},
	} {
		if c.value < 0 {
			return fmt.Errorf("nmf: %d %s; give a number ≥ 0", c.value, c.name)
		}
	}
	if o.Rank < 1 {
		return fmt.Errorf("nmf: rank %d; give a number ≥ 1", o.Rank)
	}
	return nil
}

// mostRank bounds ranks that exceed both sides of the data: nothing is gained
// there, and r² numbers are kept.
const mostRank = 1 << 14

// checkTogether refuses options that do not go together, or not with the data.
func (o Options) checkTogether(d Data) error {
	if o.Rank > mostRank && o.Rank > d.Rows && o.Rank > d.Cols {
		return fmt.Errorf("nmf: rank %d for %d × %d data; give at most %d", o.Rank, d.Rows, d.Cols, max(d.Rows, d.Cols))
	}
	if err := o.Loss.checkSolver(o.Solver, o.Order); err != nil {
		return err
	}
	graph := o.Lambda > 0 && o.Graph.present()
	switch {
	case o.Extrapolate && o.Solver != HALS:
		return fmt.Errorf("nmf: extrapolation is an option of solver %s", HALS)
	case o.Extrapolate && graph:
		return fmt.Errorf("nmf: extrapolation takes no graph term; leave it out")
	case o.Extrapolate && o.Normalize == EachIteration:
		return fmt.Errorf("nmf: extrapolation follows the scale of the components; normalise at the %s", AtEnd)
	case o.Solver == Multiplicative && o.Init == NNDSVD:
		return fmt.Errorf("nmf: multiplicative updates cannot leave the zeros of init %s; take init %s or %s, or solver %s",
			NNDSVD, NNDSVDMean, NNDSVDRandom, HALS)
	}
	if d.known != nil {
		if err := o.checkWeighted(graph); err != nil {
			return err
		}
	}
	if err := o.checkSingle(d); err != nil {
		return err
	}
	takers := namesOfLosses((*Loss).TakesSparse)
	return o.Loss.checkSparse(d, ", or take loss "+strings.Join(takers, " or "))
}

func oneOf(name, value string, known []string) error {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return fmt.Errorf("nmf: %s %q; give one of %v", name, value, known)
}

func setDefault(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

func setPositive[T int | float64](x *T, value T) {
	if *x == 0 {
		*x = value
	}
}
