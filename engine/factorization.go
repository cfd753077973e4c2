package engine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FactorizeOptions say how a matrix is factorised. Of Options, Recall is about the
// neighbour graph and Labels are for supervised methods; Components, Duplicates,
// Landmarks and Init do nothing.
type FactorizeOptions struct {
	Options
	Rank int // R, the components to find; at least 1
	// InitW (n × R) and InitH (R × m) are the start in place of the method's own, X ≈ Offset +
	// WH, nonnegative. Of one alone the other begins at random, by the seed, such that WH has
	// about the mean of the data. rmnmf and the methods like it take both or neither, and an H with
	// negative entries.
	InitW, InitH *mat.Dense
	// EntryWeights are weights ≥ 0 of all entries, as many as of the data, of nmf, nmf-kl and
	// l21-nmf: see [nmf.Weights]. Those that a sparse matrix does not store are 0. nil: all
	// entries count alike. An entry of weight 0 is missing, whatever it is.
	EntryWeights mat.Matrix
	// Impute asks for the data with the model in place of missing entries.
	Impute bool
	// TraceEvery is the number of iterations between two points of the trace; 0: 10.
	TraceEvery int
}

// Factorization is X ≈ Offset + WH with W, H ≥ 0, and what is known of it. Of methods by an
// augmented Lagrangian (rmnmf and the methods like it) W has orthonormal columns, H is of either sign,
// and W is nonnegative: with one entry a row, or, where harden is 0, up to
// Details["residual_indicators"].
type Factorization struct {
	W *mat.Dense // n × R, one row a sample: its coordinates; nil of [FactorizeSource]
	H *mat.Dense // R × m, one row a component; of apmf: the directions of its subspace
	// Offset has m numbers that are added to every row of WH: what the scaling, the centring
	// or the shift of the features took off. nil: zeros, and of apmf.
	Offset []float64

	Imputed *mat.Dense // n × m, X with Offset + WH where the weight is 0; nil: not asked for

	Standard *Standardization // of the data before the method; nil: they were taken as they are

	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Rank     int
	Sparse   bool // the data were and stayed sparse
	Backend  string
	Threads  int

	// Trace has the start, every TraceEvery-th iteration and the last.
	Trace      []nmf.Point
	Iterations int
	Converged  bool // the tolerance was reached
	// RelativeError is ‖X − Offset − WH‖_F/‖X − Offset‖_F; 0 for X = Offset; of apmf that of
	// the projection. With weights V it is ‖√V∘(X − Offset − WH)‖_F/‖√V∘(X − Offset)‖_F.
	RelativeError float64

	Quality *Verdict // what was measured, and what speaks against the factors

	Components int   // of the graph; 0 where the method has none, or a dense one
	Sizes      []int // of the components, descending
	Duplicates int   // samples that equal an earlier one

	Selection *Selected // of a selective method; nil: the method is none

	Plan     string // which products an iteration forms
	Details  map[string]any
	Warnings []string

	extension   *extend.Extension
	noExtension string

	// EstimatedBytes is the estimate of the most memory that the process needs: see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, codes, patches, alignment, whitening, solve
	CPUSeconds Seconds
}

// take enters what was found.
func (r *Factorization) take(found *factor.Found) {
	r.Components, r.Sizes, r.Selection = len(found.Components), found.Components, (*Selected)(found.Selection)
	if found.W != nil {
		r.W = mat.NewDense(r.Samples, r.Rank, found.W)
	}
	r.H = mat.NewDense(len(found.H)/r.Features, r.Features, found.H)
	r.Offset = found.Offset
	r.Trace, r.Iterations, r.Converged, r.Plan = found.Trace, found.Iterations, found.Converged, found.Plan
	r.RelativeError, r.Quality = found.RelativeError(), verdictOn(found.Judged)
	if r.noExtension == "" {
		r.extension, r.noExtension = found.Extension, found.Reason
	}
}

// Model returns the model of a factorisation, which shares the storage of H: new
// samples get their coordinates under these components. All-zero components are an
// error (Options.Model makes it one of [Factorize]).
func (r *Factorization) Model() (*Model, error) {
	if r.extension == nil {
		return nil, r.withoutRule()
	}
	return &Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: r.Rank, extension: r.extension}, nil
}

func (r *Factorization) withoutRule() error {
	return wording.Errorf("%s: there is no rule for new samples%s; leave the model out", r.Method, r.noExtension)
}
