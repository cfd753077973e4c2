package engine

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// Factorize approximates the rows of x by nonnegative combinations of R nonnegative
// components, by the given method. x may be any gonum matrix. A sparse one, of
// this module or of github.com/james-bowman/sparse (see [sparse.Of]), stays sparse, except in
// the augmented Lagrangian methods, which keep matrices of residuals and make the samples dense.
//
// Several components of the graph are no error; they are reported. Duplicate samples, constant columns,
// and rows or columns of zeros (which get zeros) are accepted. Errors are: entries that are negative
// (see the parameter shift), not finite, or so large that the objective overflows; a rank below
// 1, or above the smaller side of the data with a start from singular vectors (otherwise a warning);
// parameters that are out of range or incompatible; missing labels for a supervised method; and
// work beyond the memory limit.
func Factorize(ctx context.Context, x mat.Matrix, m Method, o FactorizeOptions) (*Factorization, error) {
	if o.Rank == Auto && !param.Absent(m) {
		if err := o.Collection.refuse(m.Name(), "have no search for the rank; give a number for ‹rank›"); err != nil {
			return nil, err
		}
		return factorizeAuto(ctx, x, m, o)
	}
	f, s, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return nil, err
	}
	if o.Options = f.options; o.Impute && o.Standardize != "none" {
		return nil, wording.Errorf("%s: the imputed data would be standardised ones (‹standardize=%s›); leave one of the two out", s.Method(), o.Standardize)
	}
	r := f.factorization(s, o.Rank)
	if r.noExtension = method.RowOf(s.method).Factorize().Solve.WithoutExtension(); o.Model && r.noExtension != "" {
		return nil, r.withoutRule()
	}
	s, stages, err := through(s,
		rescaleAffinities{f.task, o.Affinities},
		read{f.data, method.RowOf(s.method).KeepsSingle && param.Absent(o.EntryWeights) && !o.Impute && !o.Collection.present()},
		f.standardize(),
		densify{remedy: staysSparse},
		collect{o.Collection, o.EntryWeights},
		weigh{o.EntryWeights},
		findCopies{},
		roomToImpute{o.Impute},
		rescale{},
		weighMatrices{o.Collection},
		label{labels: o.Labels},
		inUnit{f.task})
	if err != nil {
		return nil, err
	}
	r.Sparse, r.Duplicates = s.x.Compressed() != nil, s.copies.Count
	work, err := s.work(o)
	if err != nil {
		return nil, err
	}
	s.x = samples.Samples{} // released: a step makes samples of its own
	units := work.Plan.Solve.Units()
	found, err := work.Factorize()
	if err != nil {
		return nil, err
	}
	if err := factored(found, units, s, stages); err != nil {
		return nil, err
	}
	r.take(found)
	r.takeCollection(s.collection, found)
	if o.Impute {
		r.Imputed = s.imputed(x, r)
	}
	if o.Model && r.extension == nil {
		return nil, r.withoutRule()
	}
	return f.finished(s, r), nil
}

// work returns the steps of a factorisation, with given structures in place of the method's own.
func (s state) work(o FactorizeOptions) (factor.Work, error) {
	work := factor.Work{Run: s.Run, X: s.x, Weights: s.weights, Plan: method.RowOf(s.method).Factorize(), Rank: o.Rank, InitW: o.InitW, InitH: o.InitH, TraceEvery: o.TraceEvery}
	work.Plan.Neighbors, work.Plan.Patch = s.given.Search(work.Plan.Neighbors, s.x.N()), s.given.Edges(work.Plan.Patch)
	err := divideStart(s.unit, &work)
	if c := s.collection; c != nil {
		work.Collection, work.DatasetLabels, work.InitH = &c.Collection, c.datasets, c.scaleStart(work.InitH)
	}
	return work, err
}

// factored undoes the stages on factors.
func factored(found *factor.Found, units factor.Units, s state, stages undos) error {
	return stages.back(&fitted{state: s, result: factors{found, units}, rule: found.Extension, power: units.W})
}

// factors implements [measured] for a factorisation.
type factors struct {
	*factor.Found
	units factor.Units
}

func (f factors) quantities() []magnitude.Quantity {
	if f.Extension != nil {
		f.H, f.Own = slices.Clone(f.H), slices.Clone(f.Own) // the extension keeps its own copy
	}
	f.Offset = slices.Clone(f.Offset) // the extension shares the offset of a shift
	return []magnitude.Quantity{
		magnitude.Lengths("coordinates", f.units.W, f.W),
		magnitude.Lengths("components", f.units.H, f.H),
		magnitude.Lengths("components of datasets", f.units.H, f.Own),
		magnitude.Lengths("the offset", 1, f.Offset),
		{What: "the objective", Scale: func(u magnitude.Unit) bool {
			for i, p := range f.Trace {
				f.Trace[i] = f.units.Point(p, u.Exponent)
				if p = f.Trace[i]; math.IsInf(p.Objective, 0) || math.IsInf(p.Surrogate, 0) {
					return false
				}
			}
			return true
		}},
	}
}

// roomToImpute refuses imputation if the copy of the data does not fit into memory.
type roomToImpute struct{ asked bool }

func (g roomToImpute) apply(s state) (state, undo, error) {
	if !g.asked {
		return s, nil, nil
	}
	return s, nil, s.Fit(8*int64(s.x.N())*int64(s.x.M()), "the imputed matrix needs", "leave it out, or raise the limit")
}

// FactorizeOptions configure a factorisation. The option Recall applies to the
// neighbour graph, Labels to supervised methods; Components, Duplicates,
// Landmarks and Init have no effect.
type FactorizeOptions struct {
	Options
	Rank int // R, the number of components; at least 1, or [Auto]: it is found, as [FindRank] does
	// RankSearch says how Auto finds it.
	RankSearch RankSearch
	// InitW (n × R) and InitH (R × m) are the start in place of the method's own, X ≈ Offset +
	// WH, nonnegative. If only one is given, the other starts at random from the seed, scaled such
	// that WH has about the mean of the data. With fixed=h InitH may have fewer rows than R: they are the first
	// components, and those after them are learned. rmnmf and similar methods need both or neither, and accept
	// an H with negative entries.
	InitW, InitH *mat.Dense
	// EntryWeights are weights ≥ 0 of all entries, n × m, for nmf, nmf-kl and l21-nmf: see
	// [nmf.Weights]. Entries that a sparse matrix does not store have weight 0. An entry of weight
	// 0 is missing, whatever its value. nil: all weights are equal.
	EntryWeights mat.Matrix
	Collection   Collection // the matrices of which the samples are put together; the zero value: one
	// Impute requests the data with missing entries replaced by the model.
	Impute bool
	// TraceEvery is the number of iterations between two points of the trace; 0: 10.
	TraceEvery int
}

// Factorization is X ≈ Offset + WH with W, H ≥ 0, the result of [Factorize]. For augmented
// Lagrangian methods (rmnmf and similar) W is nonnegative with orthonormal columns, and H may have
// either sign. Each row of W then has one entry, or with harden=0 up to
// Details["residual_indicators"].
type Factorization struct {
	W *mat.Dense // n × R, one row a sample: its coordinates; nil of [FactorizeSource]
	H *mat.Dense // R × m, one row a component; of apmf: the directions of its subspace
	// Offset has m numbers that are added to every row of WH: what scaling, centring
	// or shifting the features subtracted. nil: zeros, and always for apmf.
	Offset []float64

	// Own has V of each dataset of a [Collection], R rows each in the order of Datasets: X_d ≈ W_d(H + V_d). nil: there are none
	Own      *mat.Dense
	Blocks   []FactorBlock
	Datasets []FactorDataset

	Imputed *mat.Dense // n × m, X with Offset + WH where the weight is 0; nil: not requested

	Standard *Standardization // of the data before the method; nil: not standardised

	Method   string
	Params   map[string]any // all parameters, defaults included
	Samples  int
	Features int
	Rank     int
	Sparse   bool // the data were and stayed sparse
	Backend  string
	Threads  int

	// Trace has the start, every TraceEvery-th iteration and the last one.
	Trace      []nmf.Point
	Iterations int
	Converged  bool // the tolerance was reached
	// RelativeError is ‖X − Offset − WH‖_F/‖X − Offset‖_F; 0 for X = Offset. With weights V it
	// is ‖√V∘(X − Offset − WH)‖_F/‖√V∘(X − Offset)‖_F. For apmf it is the error of the projection.
	RelativeError float64

	Parts []FactorPart // what each component contributes

	RankFound *FoundRank // how the rank was found; nil: it was given

	Quality *Verdict // measurements and any doubts about the factors

	Components int   // of the graph; 0: the method has no graph, or a dense one
	Sizes      []int // of the components, descending
	Duplicates int   // samples equal to an earlier one

	Selection *Selected // of a selective method, otherwise nil

	Plan     string // the products of one iteration
	Details  map[string]any
	Warnings []string

	extension   *extend.Extension
	noExtension string

	// EstimatedBytes is the estimated peak memory of the process; see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, codes, patches, alignment, whitening, solve
	CPUSeconds Seconds
}

// factorization returns a result with the method, its parameters and the shape of the data.
func (f fit) factorization(s state, rank int) *Factorization {
	r := &Factorization{Rank: rank, Method: s.method.Name(), Params: s.params, Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads())}
	if f.data != nil {
		r.Samples, r.Features = f.data.Dims()
	}
	return r
}

// finished fills in the warnings, details and times at the end.
func (f fit) finished(s state, r *Factorization) *Factorization {
	r.Standard = s.standardization()
	r.Warnings, r.Details, r.EstimatedBytes = s.Warnings(), s.Notes(), s.PeakBytes()
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r
}

// take copies the found factors into the result.
func (r *Factorization) take(found *factor.Found) {
	r.Components, r.Sizes, r.Selection = len(found.Components), found.Components, (*Selected)(found.Selection)
	if found.W != nil {
		r.W = mat.NewDense(r.Samples, r.Rank, found.W)
	}
	r.H = mat.NewDense(len(found.H)/r.Features, r.Features, found.H)
	r.Offset = found.Offset
	r.Trace, r.Iterations, r.Converged, r.Plan = found.Trace, found.Iterations, found.Converged, found.Plan
	r.RelativeError, r.Quality = found.RelativeError(), verdictOn(found.Judged)
	r.Parts = r.parts()
	if r.noExtension == "" {
		r.extension, r.noExtension = found.Extension, found.Reason
	}
}

// Model returns a model that gives the coordinates of new samples with respect to these components.
// It shares the storage of H. All-zero components are an error; with Options.Model [Factorize] returns
// that error.
func (r *Factorization) Model() (*Model, error) {
	if r.extension == nil {
		return nil, r.withoutRule()
	}
	return model.New(Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: r.Rank}, r.extension), nil
}

func (r *Factorization) withoutRule() error {
	return wording.Errorf("%s: there is no rule for new samples%s; leave the model out", r.Method, r.noExtension)
}

// Selected is what a selective method learned in addition to its factors. The matrices
// are of type github.com/james-bowman/sparse or share its storage layout.
type Selected struct {
	// Exemplars are the samples whose neighbourhoods regularise the factors, ascending.
	Exemplars []int
	// Learned is Ẑ: row i has the affinities of exemplar i to its neighbours; all other rows are
	// empty.
	Learned *sparse.CSR
	// Encoding is Z, which contains Learned: column j says which samples represent sample j.
	Encoding *sparse.CSR
}
