package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Embed maps the rows of x to the rows of Result.Y by the given method. x may be any
// gonum matrix; a *mat.Dense is used in place and not changed. A sparse matrix
// (see [sparse.Of]) stays sparse in the methods whose [Entry] says so; the others
// make it dense. x may be nil if Options has a graph, affinities or distances that are enough.
//
// Input that cannot be embedded is an error with the cause and a remedy: entries that are not
// finite or so large that results overflow, parameters out of range or too large for the data,
// and, with components=error, a neighbour graph with several components (see Options.Components).
// When ctx is cancelled, Embed stops soon and returns the context's error.
func Embed(ctx context.Context, x mat.Matrix, m Method, o Options) (*Result, error) {
	f, s, err := begin(ctx, "embed", x, m, o)
	if err != nil {
		return nil, err
	}
	o = f.options
	s, stages, err := through(s,
		rescaleAffinities{f.task, o.Affinities},
		read{data: f.data},
		f.standardize(),
		densify{remedy: fewerEntries},
		findCopies{keep: true},
		rescale{},
		label{o.Labels, o.Targets},
		count{o.Weights, o.Duplicates == "merge"},
		merge{o.Duplicates},
		reduce{o.Reduce},
		dimension{},
		denoise{o.Denoise},
		landmarksOf(o),
		neighborhoodSize{o.Radius, o.Components},
		parameters{fit: f},
		inUnit{f.task})
	if err != nil {
		return nil, err
	}
	found, err := f.embed(s, stages)
	if err != nil {
		return nil, err
	}
	return f.result(s, found), nil
}

// embed runs the steps of an embedding and then undoes the stages.
func (f fit) embed(s state, stages undos) (*outcome, error) {
	p, err := f.steps(s)
	if err != nil {
		return nil, err
	}
	o, err := p.run()
	if err != nil {
		return nil, err
	}
	of := method.RowOf(s.method).UnitsOf()
	return o, stages.back(&fitted{state: s, result: embedded{o, of}, coordinates: o, rule: o.Extension, power: of.Coordinates})
}

// steps returns the steps of the method for the samples of a state. It refuses options that do not
// apply to them, and work that does not fit into memory.
func (f fit) steps(s state) (embedding, error) {
	o, row := f.options, method.RowOf(s.method)
	p := embedding{state: s, components: o.Components, model: o.Model, init: o.Init}.choose(row.Embed())
	p.stability = o.Stability == "subset" && !landmarksOf(o).asked()
	p.reruns = o.Stability == "reruns"
	p.trying = o.Remedies == "tried"
	if o.Certified && p.steps.Joint.Sketch {
		return p, wording.Errorf("%s: a certificate counts eigenvalues by a factorisation, which ‹solver=sketch› avoids; leave one of them out", s.Method())
	}
	if o.Certified && !method.SolvesForSmallest(s.method, p.steps) {
		return p, notCertifiable(s.Method())
	}
	if p.steps.NeedConnected && o.Components == "joint" {
		return p, wording.Errorf("%s: ‹components=joint› does not apply: no path leads from one component to another; choose ‹components=auto›", s.Method())
	}
	if err := s.checkMemory(p.steps.Patch, o.Landmarks); err != nil {
		return p, err
	}
	if o.Model && p.steps.Neighbors == nil && !p.steps.Joint.Extends {
		return p, fmt.Errorf("%s: there is no rule for new samples; leave the model out, and embed them together with the others", s.Method())
	}
	return p, nil
}

// run runs all steps.
func (p embedding) run() (*outcome, error) {
	at, err := p.neighborhoods()
	if err != nil {
		return nil, err
	}
	var o *outcome
	if at.Found.Graph == nil {
		o, err = p.takeAll(at)
	} else {
		o, err = p.byComponents(at)
	}
	if err == nil && p.stability && o.quality != nil {
		o.quality.Instability, err = p.instability(o)
	}
	if err == nil && p.reruns && o.trust != nil {
		err = p.rerun(at, o)
	}
	return o, err
}

// embedded implements [measured] for an embedding.
type embedded struct {
	o *outcome
	u method.Units
}

func (e embedded) quantities() []magnitude.Quantity {
	return []magnitude.Quantity{
		magnitude.MatrixOf("coordinates", e.u.Coordinates, &e.o.Y),
		magnitude.Powers("eigenvalues", e.u.Values, e.o.Values),
		magnitude.Length("eigenvalues", e.u.Values, &e.o.Next),
		magnitude.Powers("the objective", e.u.Objective, e.o.Objective),
	}
}

// Result is the result of [Embed].
type Result struct {
	Y *mat.Dense // n × d, one row for each sample; NaN in rows that components=largest leaves out

	Standard *Standardization // of the data before the method; nil: not standardised

	Method   string
	Params   map[string]any // all parameters, defaults included
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Dim      int
	Backend  string // of the dense products
	Threads  int

	// Values are the d eigenvalues and Residuals the residuals of their eigenpairs, relative to
	// the matrix; Next is the following eigenvalue (NaN: none).
	// With components=each they belong to the largest component.
	Values    []float64
	Residuals []float64
	Next      float64
	Converged bool

	// For an iterative method: the objective at the start and after each iteration
	// (nil: the method has none), the deviation ‖UᵀU − I‖_F of the factor U from orthonormal
	// columns, and the number of iterations.
	Objective     []float64
	Orthogonality float64
	Iterations    int
	KKT           float64 // scaled KKT residual of U before rounding (docs/nonnegative.md); NaN: the method has none

	// Quality holds quality measurements of the coordinates and the verdict. If components were
	// embedded separately, the scores are those of the largest.
	Quality *Quality

	// Trust has how far each sample of a map can be trusted; nil: it is no map, or was not judged.
	Trust *Trust

	Components int   // of the neighbour graph; 0 where the method has none
	Sizes      []int // of the components, descending
	Duplicates int   // samples equal to an earlier one

	Plan     *eigen.Plan    // of the eigensolver; nil: another solver was used
	Solves   int            // number of right-hand sides solved by the eigensolver
	Products int            // number of products of the alignment matrix and a vector
	Angle    float64        // estimated angle between the computed and the true eigenspace; NaN: unknown
	Details  map[string]any // findings of the method, such as NEML's eta
	Warnings []string

	extension   *extend.Extension // for new samples; nil: there is no rule, for the reason noExtension
	noExtension string

	// EstimatedBytes is the estimated peak memory of the process; see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, patches, alignment, solve
	CPUSeconds Seconds // processor time of the same
}

// result converts an outcome to a Result.
func (f fit) result(s state, o *outcome) *Result {
	r := &Result{Y: o.Y, Standard: s.standardization(), Method: s.method.Name(), Params: s.params, Sparse: s.x.Compressed() != nil,
		Dim: method.RowOf(s.method).Dim, Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads()),
		Values: o.Values, Residuals: o.Residuals, Next: o.Next, Converged: o.Converged,
		Objective: o.Objective, Orthogonality: o.Orthogonality, Iterations: o.Iterations, KKT: math.NaN(),
		Quality: o.quality, Trust: o.trust, Components: len(o.components), Sizes: o.components, Duplicates: s.copies.Count,
		Plan: o.Plan, Solves: o.Solves, Products: o.Products, Angle: o.Angle,
		Details: s.Notes(), Warnings: s.Warnings(), extension: o.Extension, noExtension: o.Reason, EstimatedBytes: s.PeakBytes()}
	r.Samples, r.Features = f.data.Dims()
	if len(o.Objective) > 0 {
		r.KKT = o.KKT
	}
	if f.options.Components == "auto" && o.policy != "" {
		r.Params["components"] = o.policy
	}
	r.Seconds, r.CPUSeconds = f.clock.Seconds()
	return r
}

// Model returns the fitted model of an embedding. It shares the storage of the
// samples and of Y, which must not change while the model is in use. A method without a
// rule for new samples is an error; with Options.Model that error comes before the work.
func (r *Result) Model() (*Model, error) {
	if r.extension == nil {
		return nil, wording.Errorf("%s: there is no rule for new samples%s; embed them together with the others", r.Method, r.noExtension)
	}
	return model.New(Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: r.Dim}, r.extension), nil
}
