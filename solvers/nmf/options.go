package nmf

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
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

// Rules to stop of [Options].
const (
	// Change stops when ‖W′H′ − WH‖_F falls below so much of ‖W′H′‖_F. It is computed from
	// Gram matrices, hence blind below 1e-7.
	Change = "change"
	// RelativeDecrease is the rule of scikit-learn's multiplicative updates. Every tenth
	// iteration it stops if the error has fallen since the last time by less than so much of
	// the error of the start. The error is the root of the loss, without penalties.
	RelativeDecrease = "relative-decrease"
	// Violation is the rule of scikit-learn's coordinate descent, of solver [HALS]. It stops
	// when the violation of an iteration is at most the tolerance times the violation of the first.
	// The violation is the sum over all entries of both factors of |g|, or of max(−g, 0) for an entry
	// that is zero, where g is the slope of half the objective when the entry's turn comes. Of several
	// sweeps the first counts.
	Violation = "violation"
)

// Factors of a given start that stay as they are, of [Options].
const (
	NoneFixed = "none"
	WFixed    = "w" // H is learned for the given W
	HFixed    = "h" // W is learned for the given H
)

// Starts of [Options].
const (
	RandomStart  = "random"    // 2·√(mean(X)/r)·uniform(0.001, 1) in both factors, W first
	NNDSVD       = "nndsvd"    // Boutsidis and Gallopoulos 2008; has zeros, hence for HALS
	NNDSVDMean   = "nndsvda"   // its zeros filled with mean(X)
	NNDSVDRandom = "nndsvdar"  // its zeros filled with uniform(0, mean(X)/100), W first
	LowRankSVD   = "nnsvd-lrc" // both parts of the leading singular vectors, fitted to these (Atif, Qazi and Gillis 2019)
	Rows         = "rows"      // components are means of random samples (Langville et al. 2014)
	Centres      = "kmeans"    // components are the centres of k-means clusters (Wild, Curry and Dougherty 2004)
	Extremes     = "spa"       // components are samples, by successive projections (Gillis and Vavasis 2014)
	Given        = "given"     // W and H of the options, or one of them
)

// startsBySVD reports whether the start needs singular vectors of the data.
func (o Options) startsBySVD() bool {
	return o.Init == NNDSVD || o.Init == NNDSVDMean || o.Init == NNDSVDRandom || o.Init == LowRankSVD
}

// Options of [Factorize]. Only Rank has no default.
type Options struct {
	Rank       int       // r ≥ 1
	Loss       *Loss     // Frobenius for nil
	Solver     string    // Multiplicative for ""
	Order      string    // BasisFirst for ""
	Graph      Graph     // Φ; the zero value: no graph
	Lambda     float64   // λ ≥ 0, the weight of the graph term
	Balanced   bool      // the graph term is λ Σₖ‖hₖ‖²wₖᵀΦwₖ, the term of coordinates under components of unit length
	Penalties  Penalties // on W and H, of all losses but L21 and Correntropy
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

	Beta float64 // β of Beta
	// Dispersion is φ of NegativeBinomial, a number for each column or one for all; nil: estimated.
	Dispersion []float64
	// Threshold is δ of Huber; 0: by the scale of the residuals.
	Threshold float64

	Sigma    Sigma  // of Correntropy
	Schedule string // of Correntropy; Paper for ""
	// Warm of the Iterations come first: coordinate descent for the squared error, with the graph
	// term. The trace has the start, and the factors that they lead to.
	Warm int

	// Sweeps of HALS over a factor for each product with the data; 0: as many as still move it,
	// limited by the cost of a product (Gillis and Glineur 2012), or 1 with the order WFirst. 1 is
	// plain HALS.
	Sweeps      int
	Extrapolate bool // of HALS: momentum with restarts (Ang and Gillis 2019)

	Batches Batches // of MiniBatch

	// Collection says which datasets and blocks the data consist of; nil: all is one matrix.
	Collection *Collection

	Init string    // RandomStart for ""
	Seed uint64    // of the random start
	W    []float64 // n × r, for Init Given; nil: random, with H given
	H    []float64 // r × m, for Init Given; nil: random, with W given. See Fixed
	// Fixed is the factor of a given start that stays as it is, to the bit, and without a
	// penalty, which would change nothing; NoneFixed for "". With HFixed, H may have fewer than r
	// rows: they are the first components, and those after them are learned, from a random start
	// with the mean of the given ones.
	Fixed string

	// SumToOne makes the rows of W sum to one, with the squared error by HALS and with KL. Components keep
	// their scale.
	SumToOne bool
	// Volume is v, the weight of the volume of the components relative to ‖X‖², with SumToOne and the squared
	// error; 0: none.
	Volume float64
	// Smooth is s, the weight of the squared differences of neighbouring entries of a component, relative to the curvature of the
	// squared error; of the squared error and KL; 0: none. See smooth.go.
	Smooth float64

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

// Graph is the symmetric n × n matrix Φ of the term λ tr(WᵀΦW), sparse or dense.
// The zero value is none.
type Graph struct {
	Sparse *sparse.CSR
	Dense  []float64 // n·n numbers, both triangles
	// AllowIndefinite takes a Φ that is not positive semidefinite; nothing then
	// promises that the objective falls.
	AllowIndefinite bool
}

func (g Graph) present() bool { return g.Sparse != nil || g.Dense != nil }

// Batches say how [MiniBatch] learns.
type Batches struct {
	Rows int // of a batch; 0: 1024
	// Forget is φ, the share of the earlier learning that is left after a pass, > 0 and at most 1; 0:
	// 0.01.
	Forget float64
	// Patience is the number of batches after which the passes end if the smoothed loss has
	// had no new minimum in them; 0: never.
	Patience int
}

// Penalties keep the factors of n × m data small or sparse. The three numbers mean the same as in
// scikit-learn's NMF: the term added to the loss D is
//
//	P(W, H) = α_W·m·(ρ‖W‖₁ + (1−ρ)/2·‖W‖²) + α_H·n·(ρ‖H‖₁ + (1−ρ)/2·‖H‖²),
//
// where D is half of the squared error, or the Kullback–Leibler or β-divergence. The trace
// measures the squared error without that half, and so has ‖X − WH‖² + 2P: twice
// scikit-learn's objective. Under the divergences both have D + P.
//
// With one of α_W and α_H zero there is no minimiser: the factor that is penalised
// shrinks while the other grows, at the same WH. [Factorize] warns of it.
type Penalties struct {
	W, H    float64 // α_W, α_H ≥ 0
	L1Ratio float64 // ρ, the part of L1, from 0 to 1
}

// Present reports whether anything is penalised.
func (p Penalties) Present() bool { return p.W > 0 || p.H > 0 }

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

// Rules for the scale of the residuals, whose square times Sigma.Theta is σ².
const (
	// MeanScale is the σ² of You et al. (2015): σ² = θ·mean(E²) over all entries, in every
	// iteration. It may rise, and where most entries are zero the zeros determine it.
	MeanScale = "mean"
	// MedianScale is 1.4826 times the weighted median of |E|, the weights being the entries of
	// the data, over at most 2048 evenly spaced samples. It is taken in every tenth iteration.
	// Here σ² never rises, and so neither does Point.Surrogate: 2σ²(1 − exp(−e²/2σ²)) grows with σ².
	MedianScale = "median"
)

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
	Penalty          float64 // what [Penalties], the volume and smooth components add to Objective
}

// Result is the result of an iteration.
type Result struct {
	W          []float64 // the coordinates, n × r
	H          []float64 // the components, r × m
	Own        []float64 // V of each dataset of a [Collection], r × m one after the other; nil: there are none
	Samples    int       // of [FactorizeSource]
	Iterations int
	Converged  bool // the tolerance was reached
	// Trace measures the factors before they are normalized at the end.
	Trace  []Point
	Sigma2 float64 // the last σ² of Correntropy, for [Encode]
	// Dispersion is φ of each column under NegativeBinomial, and Threshold δ of Huber, for [Encode].
	Dispersion []float64
	Threshold  float64
	Share      float64 // Sigma2 by MedianScale as a fraction of the mean of the squares of the data, for [Sigma]; else 0
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

// flushTiny is v, or 0 where v nears the denormals.
func flushTiny(v float64) float64 {
	if !(v >= vanished) {
		return 0
	}
	return v
}

func oneOf(name, value string, known []string) error {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return fmt.Errorf("nmf: %s %q; give one of %v", name, value, known)
}
