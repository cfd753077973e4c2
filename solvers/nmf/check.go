package nmf

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// Options are checked here, each by itself, with the others and with the data: most refusals know several
// options.

// withDefaults returns the options with their defaults, or an error.
func (o Options) withDefaults(d Data) (Options, error) {
	o.Loss = o.Loss.orDefault()
	setDefault(&o.Solver, Multiplicative)
	setDefault(&o.Order, BasisFirst)
	setDefault(&o.Fixed, NoneFixed)
	if o.Penalties.Present() || o.Order == WFirst || o.Fixed != NoneFixed || o.SumToOne {
		setDefault(&o.Normalize, Never)
	}
	setDefault(&o.Normalize, AtEnd)
	setDefault(&o.Schedule, Paper)
	setDefault(&o.Sigma.Scale, MeanScale)
	setDefault(&o.Stop, Change)
	setDefault(&o.Init, RandomStart)
	for _, check := range []func() error{o.checkNames, o.checkNumbers, o.Penalties.check, o.checkPenalties, o.checkStop, o.checkOrder, o.checkFixed, o.checkBeta, func() error { return o.checkDispersion(d.Cols) }, o.checkThreshold, o.checkSumToOne, func() error { return o.checkVolume(d.Cols) }, func() error { return o.checkSmooth(d.Cols) }, o.checkBatches, func() error { return o.checkCollection(d) }, func() error { return o.checkTogether(d) }} {
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

const (
	defaultBatch  = 1024
	defaultForget = 0.01
	defaultPasses = 20
)

// setBatches fills in the defaults of solver [MiniBatch].
func (o *Options) setBatches() {
	setPositive(&o.Batches.Rows, defaultBatch)
	setPositive(&o.Batches.Forget, defaultForget)
	setPositive(&o.Iterations, defaultPasses)
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
		{"init", o.Init, []string{RandomStart, NNDSVD, NNDSVDMean, NNDSVDRandom, LowRankSVD, Rows, Centres, Extremes, Given}},
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

// check refuses numbers out of their range.
func (p Penalties) check() error {
	for _, c := range []struct {
		name  string
		value float64
	}{{"α_W", p.W}, {"α_H", p.H}} {
		if !(c.value >= 0) || c.value-c.value != 0 {
			return fmt.Errorf("nmf: %s is %v; give a finite number ≥ 0", c.name, c.value)
		}
	}
	if !(p.L1Ratio >= 0 && p.L1Ratio <= 1) {
		return fmt.Errorf("nmf: the L1 ratio is %v; give a number from 0 to 1", p.L1Ratio)
	}
	return nil
}

// checkPenalties refuses penalties with options that have none.
func (o Options) checkPenalties() error {
	switch {
	case !o.Penalties.Present():
		return nil
	case !o.Loss.algorithms[Multiplicative].fixes:
		return fmt.Errorf("nmf: penalties are for loss %s; leave them out for %s", namesInText(func(l *Loss) bool { return l.algorithms[Multiplicative].fixes }), o.Loss)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: penalties go with no graph term; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: penalties go with no extrapolation; leave out one of them")
	case o.Order == CodesFirst:
		return fmt.Errorf("nmf: order %s sets the scale of the components, which penalties choose; take order %s", CodesFirst, BasisFirst)
	case o.Normalize == EachIteration:
		return fmt.Errorf("nmf: components that are normalised in each iteration have no scale that penalties could choose; normalise at the %s, or %s", AtEnd, Never)
	}
	return nil
}

// checkOrder refuses options that the order WFirst does not support.
func (o Options) checkOrder() error {
	switch {
	case o.Order != WFirst:
		return nil
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: order %s goes with no graph term; leave out one of them", WFirst)
	case o.Extrapolate:
		return fmt.Errorf("nmf: order %s goes with no extrapolation; leave out one of them", WFirst)
	case o.Normalize == EachIteration:
		return fmt.Errorf("nmf: order %s leaves the scale of the factors alone; normalise at the %s, or %s", WFirst, AtEnd, Never)
	}
	return nil
}

// checkStop refuses rules that do not go with the other options.
func (o Options) checkStop() error {
	switch {
	case o.Stop != Violation:
		return nil
	case o.Solver != HALS:
		return fmt.Errorf("nmf: stop %s is for solver %s; take stop %s or %s", Violation, HALS, Change, RelativeDecrease)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: stop %s goes with no graph term; take stop %s or %s", Violation, Change, RelativeDecrease)
	case o.Extrapolate:
		return fmt.Errorf("nmf: stop %s goes with no extrapolation; take stop %s or %s", Violation, Change, RelativeDecrease)
	}
	return nil
}

// checkFixed refuses options that a fixed factor does not support.
func (o Options) checkFixed() error {
	if o.Fixed == NoneFixed {
		return nil
	}
	name, given := "W", o.W
	if o.Fixed == HFixed {
		name, given = "H", o.H
	}
	switch {
	case !o.Loss.algorithms[Multiplicative].fixes:
		return fmt.Errorf("nmf: a fixed factor is for loss %s; leave it out for %s", namesInText(func(l *Loss) bool { return l.algorithms[Multiplicative].fixes }), o.Loss)
	case o.Init != Given || given == nil:
		return fmt.Errorf("nmf: %s is to be fixed and is not given; give it, with init %s", name, Given)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: a fixed factor goes with no graph term; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: a fixed factor goes with no extrapolation; leave out one of them")
	case o.Order == CodesFirst:
		return fmt.Errorf("nmf: order %s scales the start, and a fixed factor stays as it is; take another order", CodesFirst)
	case o.Normalize != Never:
		return fmt.Errorf("nmf: a fixed factor stays as it is; take normalise %s", Never)
	}
	return nil
}

// keptComponents is the number of components that stay while others are learned; 0: all stay, or none.
func (o Options) keptComponents(m int) int {
	if k := len(o.H) / m; o.Fixed == HFixed && k < o.Rank && k*m == len(o.H) {
		return k
	}
	return 0
}

// checkBeta refuses a β that is not a number, and options that the loss does not support.
func (o Options) checkBeta() error {
	switch {
	case o.Loss != Beta:
		return nil
	case o.Beta-o.Beta != 0:
		return fmt.Errorf("nmf: β is %v; give a finite number", o.Beta)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: loss %s goes with no graph term; leave out one of them", Beta)
	}
	return nil
}

// checkBatches refuses what solver [MiniBatch] cannot do.
func (o Options) checkBatches() error {
	b := o.Batches
	switch {
	case o.Solver != MiniBatch:
		return nil
	case b.Rows < 0 || b.Patience < 0 || b.Rows > math.MaxInt32:
		return fmt.Errorf("nmf: batches of %d rows and a patience of %d; give numbers ≥ 0, the rows below 2³¹", b.Rows, b.Patience)
	case !(b.Forget >= 0 && b.Forget <= 1):
		return fmt.Errorf("nmf: the forget factor is %v; give a number above 0, at most 1", b.Forget)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: solver %s takes no graph term, which joins samples of different batches; leave it out", MiniBatch)
	case o.Fixed != NoneFixed:
		return fmt.Errorf("nmf: solver %s learns both factors; leave the fixed one out, or take another solver", MiniBatch)
	case o.Order != BasisFirst:
		return fmt.Errorf("nmf: solver %s has no order %s; leave it out", MiniBatch, o.Order)
	case o.Penalties.Present():
		return fmt.Errorf("nmf: solver %s takes no penalties; leave them out, or take another solver", MiniBatch)
	case o.Normalize == EachIteration:
		return fmt.Errorf("nmf: solver %s normalises the components at the %s or never", MiniBatch, AtEnd)
	case o.Stop != Change:
		return fmt.Errorf("nmf: solver %s stops by %s of the components; leave the rule out", MiniBatch, Change)
	case o.Loss == KL && o.Init == NNDSVD:
		return fmt.Errorf("nmf: init %s has zeros, which the updates of loss %s keep; take init %s or %s", NNDSVD, KL, NNDSVDMean, NNDSVDRandom)
	}
	return nil
}

// maxRank bounds ranks that exceed both sides of the data: nothing is gained
// there, and r² numbers are kept.
const maxRank = 1 << 14

// checkTogether refuses options that do not go together, or not with the data.
func (o Options) checkTogether(d Data) error {
	if o.Rank > maxRank && o.Rank > d.Rows && o.Rank > d.Cols {
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

// checkWeighted refuses options that do not go with weights.
func (o Options) checkWeighted(graph bool) error {
	switch {
	case o.Loss.algorithms[o.Solver].weighted == nil:
		known := namesOfLosses(func(l *Loss) bool { return l.algorithms[o.Solver].weighted != nil })
		return fmt.Errorf("nmf: weights of the entries are for loss %s; leave them out for %s", strings.Join(known, " or "), o.Loss)
	case graph:
		return fmt.Errorf("nmf: weights of the entries go with no graph term; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: weights of the entries go with no extrapolation; leave out one of them")
	case o.SumToOne:
		return fmt.Errorf("nmf: weights of the entries go with no rows of W that sum to one; leave out one of them")
	case o.Smooth > 0:
		return fmt.Errorf("nmf: weights of the entries go with no smooth components; leave out one of them")
	case o.Fixed != NoneFixed:
		return fmt.Errorf("nmf: weights of the entries go with no fixed factor; leave out one of them")
	case o.Order != BasisFirst:
		return fmt.Errorf("nmf: weights of the entries go with order %s; leave out the order", BasisFirst)
	case o.Stop == Violation && o.Tolerance > 0:
		return fmt.Errorf("nmf: weights of the entries go with stop %s or %s; take one of these", Change, RelativeDecrease)
	case o.Init != RandomStart && o.Init != Given:
		return fmt.Errorf("nmf: init %s needs every entry of the data; take init %s where some have weights", o.Init, RandomStart)
	}
	return nil
}

// checkSingle refuses what needs all of float32 data in float64 at once.
func (o Options) checkSingle(d Data) error {
	switch {
	case d.Single == nil:
		return nil
	case o.Loss != Frobenius && o.Loss != KL:
		return fmt.Errorf("nmf: float32 data are for loss %s or %s; convert them to float64 for %s", Frobenius, KL, o.Loss)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: float32 data go with no graph term; convert them to float64")
	case o.Init != RandomStart && o.Init != Given:
		return fmt.Errorf("nmf: float32 data have no start %s; convert them to float64, or take init %s", o.Init, RandomStart)
	}
	return nil
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
