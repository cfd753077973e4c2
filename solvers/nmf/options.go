package nmf

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// Losses of [Options].
const (
	Frobenius   = "frobenius"   // Σ (D − YC)²
	KL          = "kl"          // Σ d log(d/ŷ) − d + ŷ
	L21         = "l21"         // Σᵢ ‖(D − YC)ᵢ‖₂, samples with large residuals count less
	Correntropy = "correntropy" // Σ 1 − exp(−(D − YC)²/2σ²), entries with large residuals count less
)

// Solvers of [Options].
const (
	Multiplicative = "mu"   // multiplicative updates, of every loss
	HALS           = "hals" // coordinate descent, of the squared error
)

// Schedules of the correntropy weights.
const (
	Paper   = "paper"   // once an iteration; keeps one n × m matrix
	Refresh = "refresh" // before each half step; keeps none
)

// Orders of the two half steps of an iteration.
const (
	BasisFirst = "basis-first" // C, then Y with the new C
	// CodesFirst is Y, then C with the new Y, from a start whose components have unit
	// length and with a floor of 1e-10 below denominators (Cai et al. 2011); of the
	// multiplicative rule for the squared error.
	CodesFirst = "codes-first"
)

// Ways to normalise the components.
const (
	AtEnd         = "end"
	EachIteration = "each" // no longer monotone
	Never         = "none"
)

// Options of [Factorize]. Only Rank has no default.
type Options struct {
	Rank       int     // r ≥ 1
	Loss       string  // Frobenius for ""
	Solver     string  // Multiplicative for ""
	Order      string  // BasisFirst for ""
	Graph      Graph   // Φ; the zero value is none
	Lambda     float64 // λ ≥ 0, the weight of the graph term
	Iterations int     // at most; 0: 200
	// Tolerance stops the iteration when ‖Y′C′ − YC‖_F falls below so much of
	// ‖Y′C′‖_F; 0: never. It is computed from Gram matrices, hence blind below 1e-7.
	Tolerance float64
	// Settle stops the iteration when it changes the objective by no more than that
	// share of its value; 0: never.
	Settle    float64
	Normalise string // the rows of C to unit length: AtEnd for ""

	Sigma    Sigma  // of Correntropy
	Schedule string // of Correntropy; Paper for ""
	Warm     int    // of the Iterations so many come first, with the squared error

	// Sweeps of HALS over a factor for each product with the data; 0: as many as
	// still move it, by what a product costs (Gillis and Glineur 2012). 1 is plain HALS.
	Sweeps      int
	Extrapolate bool // of HALS: momentum with restarts (Ang and Gillis 2019)

	Init        string    // RandomStart for ""
	Seed        uint64    // of the random start
	Coordinates []float64 // n × r, for Init Given
	Components  []float64 // r × m, for Init Given

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
	Theta float64 // σ² = θ·mean(E²); 0: 1/2
	Floor float64 // σ² is at least that share of mean(D²); 0: 1e-12
	Fixed float64 // σ² itself; 0: by the rule
	// FreezeAfter is the number of iterations after which σ² stays; 0: never.
	FreezeAfter int
	// KernelConstant keeps the factor 1/(√(2π)σ) of the Gaussian kernel, which
	// weights the graph term by √(2π)σ.
	KernelConstant bool
}

// Point is one point of a trace.
type Point struct {
	Iteration int
	// Objective is the loss plus λ tr(YᵀΦY): what the updates lower, but for
	// Correntropy, where it is J (You et al. 2015, eq. 5 without the kernel constant).
	Objective float64
	// Surrogate is F = 2σ² Σ(1 − exp) + λ tr(YᵀΦY) of Correntropy, which falls while σ² is
	// fixed; Objective otherwise.
	Surrogate   float64
	Sigma2      float64 // σ² of the iteration; 0 for other losses
	Residual    float64 // ‖D − YC‖_F/‖D‖_F
	Regulariser float64 // λ tr(YᵀΦY)
}

// Result is what an iteration found.
type Result struct {
	Coordinates []float64 // Y, n × r
	Components  []float64 // C, r × m
	Iterations  int
	Converged   bool // the tolerance was reached
	// Trace measures the factors before they are normalised at the end.
	Trace  []Point
	Sigma2 float64 // the last σ² of Correntropy, for [Encode]
	// Plan says in words which products an iteration forms.
	Plan string
	// Warnings say what was done about odd input.
	Warnings []string
}

// denominator is the floor of every denominator, and of the factors of HALS;
// codesDenominator that of denominators with the order CodesFirst.
const (
	denominator      = 1e-16
	codesDenominator = 1e-10
)

// vanished is where entries become zero: numbers on their way into the denormals
// slow products down tenfold.
const vanished = 1e-150

// filled returns the options with their defaults, or what is wrong with them.
func (o Options) filled(d Data) (Options, error) {
	setDefault(&o.Loss, Frobenius)
	setDefault(&o.Solver, Multiplicative)
	setDefault(&o.Order, BasisFirst)
	setDefault(&o.Normalise, AtEnd)
	setDefault(&o.Schedule, Paper)
	setDefault(&o.Init, RandomStart)
	for _, check := range []func() error{o.checkNames, o.checkNumbers, func() error { return o.checkTogether(d) }} {
		if err := check(); err != nil {
			return o, err
		}
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
		{"loss", o.Loss, []string{Frobenius, KL, L21, Correntropy}},
		{"solver", o.Solver, []string{Multiplicative, HALS}},
		{"order", o.Order, []string{BasisFirst, CodesFirst}},
		{"normalise", o.Normalise, []string{AtEnd, EachIteration, Never}},
		{"schedule", o.Schedule, []string{Paper, Refresh}},
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
	graph := o.Lambda > 0 && o.Graph.present()
	switch {
	case o.Rank > mostRank && o.Rank > d.Rows && o.Rank > d.Cols:
		return fmt.Errorf("nmf: rank %d for %d × %d data; give at most %d", o.Rank, d.Rows, d.Cols, max(d.Rows, d.Cols))
	case o.Solver == HALS && o.Loss != Frobenius:
		return fmt.Errorf("nmf: solver %s is for loss %s; take solver %s for %s", HALS, Frobenius, Multiplicative, o.Loss)
	case o.Order == CodesFirst && (o.Solver != Multiplicative || o.Loss != Frobenius):
		return fmt.Errorf("nmf: order %s is for solver %s and loss %s; leave it out", CodesFirst, Multiplicative, Frobenius)
	case o.Extrapolate && o.Solver != HALS:
		return fmt.Errorf("nmf: extrapolation is an option of solver %s", HALS)
	case o.Extrapolate && graph:
		return fmt.Errorf("nmf: extrapolation takes no graph term; leave it out")
	case o.Extrapolate && o.Normalise == EachIteration:
		return fmt.Errorf("nmf: extrapolation follows the scale of the components; normalise at the %s", AtEnd)
	case o.Solver == Multiplicative && o.Init == NNDSVD:
		return fmt.Errorf("nmf: multiplicative updates cannot leave the zeros of init %s; take init %s or %s, or solver %s",
			NNDSVD, NNDSVDMean, NNDSVDRandom, HALS)
	case d.Sparse != nil && (o.Loss == L21 || o.Loss == Correntropy):
		return fmt.Errorf("nmf: loss %s weights every entry, which sparse data do not store; make the data dense, or take loss %s or %s",
			o.Loss, Frobenius, KL)
	}
	return nil
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
