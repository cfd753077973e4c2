package nmf

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// Solvers of [Options].
const (
	Multiplicative = "mu"        // multiplicative updates, of every loss
	HALS           = "hals"      // coordinate descent, of the squared error
	MiniBatch      = "minibatch" // batch by batch ([FactorizeSource]), of the squared error and KL
)

// Schedules of the correntropy weights.
const (
	Paper   = "paper"   // once an iteration; of dense data keeps one n × m matrix
	Refresh = "refresh" // before each half step; keeps none
)

// Orders of the two half steps of an iteration.
const (
	BasisFirst = "basis-first" // H, then W with the new H
	// CodesFirst is W, then H with the new W, from a start whose components have unit
	// length and with a floor of 1e-10 below denominators (Cai et al. 2011); of the
	// multiplicative updates for the squared error.
	CodesFirst = "codes-first"
	// WFirst is W, then H with the new W, as scikit-learn's solvers mu and cd go: the scale of
	// the factors is left alone, and no floor changes a number that is not zero. See order.go.
	WFirst = "w-first"
)

// Ways to normalize the components.
const (
	AtEnd         = "end"
	EachIteration = "each" // no longer monotone
	Never         = "none"
)

// Options of [Factorize]. Only Rank has no default.
type Options struct {
	Rank       int       // r ≥ 1
	Loss       *Loss     // Frobenius for nil
	Solver     string    // Multiplicative for ""
	Order      string    // BasisFirst for ""
	Graph      Graph     // Φ; the zero value is none
	Lambda     float64   // λ ≥ 0, the weight of the graph term
	Balanced   bool      // the graph term is λ Σₖ‖hₖ‖²wₖᵀΦwₖ, the term of coordinates under components of unit length
	Penalties  Penalties // on W and H, of Frobenius and KL
	Iterations int       // at most; 0: 200
	Stop       string    // the rule that Tolerance is for; Change for ""
	// Tolerance stops the iteration by the rule of Stop; 0: never.
	Tolerance float64
	// Settle stops the iteration when it changes the objective by no more than this
	// fraction of its value; 0: never.
	Settle float64
	// Normalize brings the rows of H to unit length; "": AtEnd, but Never with penalties,
	// which choose the lengths, with WFirst and with a fixed factor. The trace measures the factors before.
	Normalize string

	Beta     float64 // β of Beta
	Sigma    Sigma   // of Correntropy
	Schedule string  // of Correntropy; Paper for ""
	// Warm of the Iterations come first: coordinate descent for the squared error, with the graph
	// term. The trace has the start, and the factors that they lead to.
	Warm int

	// Sweeps of HALS over a factor for each product with the data; 0: as many as still move it,
	// limited by the cost of a product (Gillis and Glineur 2012), or 1 with the order WFirst. 1 is
	// plain HALS.
	Sweeps      int
	Extrapolate bool // of HALS: momentum with restarts (Ang and Gillis 2019)

	Batches Batches // of MiniBatch

	Init string    // RandomStart for ""
	Seed uint64    // of the random start
	W    []float64 // n × r, for Init Given; nil: random, with H given
	H    []float64 // r × m, for Init Given; nil: random, with W given
	// Fixed is the factor of a given start that stays as it is, to the bit, and without a
	// penalty, which would change nothing; NoneFixed for "".
	Fixed string

	// TraceEvery is the number of iterations from one point of the trace to the
	// next; 0: 10. The first and the last state are always in it. A point costs an
	// extra logarithm or exponential for each entry under KL and Correntropy.
	TraceEvery int
	// Watch is shown every point of the trace as it comes; returning true ends the
	// iteration.
	Watch    func(Point) bool
	Progress func(done float64)
	Threads  int           // 0: all cores
	Kernels  *blas.Kernels // nil: blas.Select("")
}

// Sigma is the rule for the scale σ² of the correntropy weights exp(−e²/2σ²).
type Sigma struct {
	Scale string  // of the residuals: MeanScale or MedianScale; MeanScale for ""
	Theta float64 // σ² is θ times the square of that scale; 0: 1/2
	Floor float64 // σ² is at least this fraction of mean(X²); 0: 1e-12
	Fixed float64 // σ² itself; 0: by the rule
	// Share of new samples makes σ² of each this fraction of the mean of its squares; 0: σ² follows
	// the residuals. [Result.Share] is the share of a fit.
	Share float64
	// FreezeAfter is the number of iterations after which σ² stays; 0: never.
	FreezeAfter int
	// KernelConstant keeps the factor 1/(√(2π)σ) of the Gaussian kernel, which
	// weights the graph term by √(2π)σ.
	KernelConstant bool
}

// Point is one point of a trace.
type Point struct {
	Iteration int
	// Objective is the loss plus λ tr(WᵀΦW) or the penalties: the updates lower it, except for
	// Correntropy, where it is J (You et al. 2015, eq. 5 without the kernel constant).
	Objective float64
	// Surrogate is F = 2σ² Σ(1 − exp) + λ tr(WᵀΦW) of Correntropy, which falls while σ² is
	// fixed; Objective otherwise.
	Surrogate float64
	// HeldBefore and Held are Σ P∘E² + λ tr(WᵀΦW) of Correntropy with the schedule Paper,
	// under the weights P of this iteration: before its steps, which never raise it, and
	// after. Both are 0 at the start and for all others.
	HeldBefore, Held float64
	Sigma2           float64 // σ² of the iteration; 0 for other losses
	Residual         float64 // ‖X − WH‖_F/‖X‖_F
	Regularizer      float64 // λ tr(WᵀΦW)
	Penalty          float64 // what [Penalties] add to Objective
}

// Result is the result of an iteration.
type Result struct {
	W          []float64 // the coordinates, n × r
	H          []float64 // the components, r × m
	Samples    int       // of [FactorizeSource]
	Iterations int
	Converged  bool // the tolerance was reached
	// Trace measures the factors before they are normalized at the end.
	Trace  []Point
	Sigma2 float64 // the last σ² of Correntropy, for [Encode]
	Share  float64 // Sigma2 by MedianScale as a fraction of the mean of the squares of the data, for [Sigma]; else 0
	// Plan says in words which products an iteration forms.
	Plan string
	// Warnings say how odd input was handled.
	Warnings []string
}

// denominator is the floor of every denominator, and of the factors of HALS;
// codesDenominator the floor of denominators with the order CodesFirst. For WFirst see order.go.
const (
	denominator      = 1e-16
	codesDenominator = 1e-10
)

// vanished is where entries become zero: numbers on their way into the denormals
// slow products down tenfold.
const vanished = 1e-150

// withDefaults returns the options with their defaults, or an error.
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
