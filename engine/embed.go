package engine

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// Embed maps the rows of x to rows of Result.Y by the given method. x may be any
// gonum matrix; a *mat.Dense is used in place and left as it was, and a sparse matrix
// ([sparse.Of] says what is one) stays sparse in the methods whose [Entry] says so; the others
// make it dense. It is nil where Options has a graph, affinities or distances that are enough.
//
// Input that cannot be embedded is an error that says why and what would help:
// entries that are not finite, or of a size of which no number holds the results,
// parameters out of their range or too large for the data, and, with components=error, a neighbour graph in several
// components (see Options.Components). When ctx is cancelled Embed stops soon and returns the
// context's error.
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
		merge{o.Duplicates},
		reduce{o.Reduce},
		dimension{},
		denoise{o.Denoise},
		landmarksOf(o),
		neighborhoodSize{o.Radius, o.Components},
		parameters{fit: f},
		inUnit{f})
	if err != nil {
		return nil, err
	}
	found, err := f.embed(s, stages)
	if err != nil {
		return nil, err
	}
	return f.result(s, found), nil
}

// embed takes the steps of an embedding in a state, and the stages back that led there.
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

// embedding is the four steps of an embedding by a method, for the samples of a state.
type embedding struct {
	state
	steps      pipeline.Steps
	components string     // the policy for several of them
	model      bool       // there has to be a rule for new samples
	init       *mat.Dense // the start of an iterative method; nil: its own
	stability  bool       // every eighth sample is embedded once more
}

// steps are the steps of the method for the samples of a state. It refuses options that do not
// go with them, and what would not fit into memory.
func (f fit) steps(s state) (embedding, error) {
	o, row := f.options, method.RowOf(s.method)
	p := embedding{state: s, components: o.Components, model: o.Model, init: o.Init}.choose(row.Embed())
	p.stability = o.Stability == "subset" && !landmarksOf(o).asked()
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

// choose puts what is given in the place of the method's own steps.
func (p embedding) choose(s pipeline.Steps) embedding {
	s.Neighbors, s.Patch = p.search(s.Neighbors), p.given.edges(s.Patch)
	if of := method.RowOf(p.method).OfDistances; of != nil && p.given.distances.N() > 0 {
		s = pipeline.Steps{Joint: of(p.given.distances)}
	}
	p.steps = s
	return p
}

// run takes all steps.
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
	return o, err
}

// outcome is an embedding and what is known of it.
type outcome struct {
	*pipeline.Solved
	quality    *Quality
	components []int  // the sizes of those of the graph, descending; nil: there is no graph
	policy     string // by which several were embedded; empty: there is one
}

// take takes the steps after the first, for samples whose neighbourhoods are known.
func take(s pipeline.Steps, job *run.Run, at pipeline.Locality, start *mat.Dense, trials diagnosis.Trials) (*outcome, error) {
	found, findings, err := s.Run(job, at, start, trials)
	if err != nil {
		return nil, err
	}
	return &outcome{Solved: found, quality: qualityOf(findings, found.Solution)}, nil
}

// neighborhoods takes the first step.
func (p embedding) neighborhoods() (pipeline.Locality, error) {
	at := pipeline.Locality{X: p.x, Landmarks: p.landmarks}
	if p.steps.Neighbors == nil {
		return at, nil
	}
	defer p.Phase("neighbors")()
	var err error
	at.Found, err = p.steps.Neighbors.Find(p.Run, p.x)
	return at, err
}

// embedded is an embedding as [measured].
type embedded struct {
	o *outcome
	u method.Units
}

func (e embedded) quantities() []quantity {
	return []quantity{
		matrixOf("coordinates", e.u.Coordinates, &e.o.Y),
		powers("eigenvalues", e.u.Values, e.o.Values),
		length("eigenvalues", e.u.Values, &e.o.Next),
		powers("the objective", e.u.Objective, e.o.Objective),
	}
}

// Result is an embedding and what is known of it.
type Result struct {
	Y *mat.Dense // n × d, one row a sample; rows that components=largest leaves out are NaN

	Standard *Standardization // of the data before the method; nil: they were taken as they are

	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Sparse   bool // the data were and stayed sparse
	Dim      int
	Backend  string // of the products
	Threads  int

	// Values are the d eigenvalues and Residuals those of their pairs, relative to
	// the matrix; Next is the first eigenvalue not asked for (NaN: there is none).
	// With components=each they are those of the largest component.
	Values    []float64
	Residuals []float64
	Next      float64
	Converged bool

	// Of an iterative method: its objective at the start and after each iteration
	// (nil: the method has none), how far the factor U is from orthonormal columns,
	// ‖UᵀU − I‖_F, and the number of iterations.
	Objective     []float64
	Orthogonality float64
	Iterations    int
	KKT           float64 // scaled residual of the conditions for a minimum, of U before rounding (docs/nonnegative.md); NaN: the method has none

	// Quality is what was measured of the coordinates, with the verdict by it. Of several
	// components that were embedded each on its own the scores are those of the largest.
	Quality *Quality

	Components int   // of the neighbour graph; 0 where the method has none
	Sizes      []int // of the components, descending
	Duplicates int   // samples that equal an earlier one

	Plan     *eigen.Plan    // of the eigensolver; nil where the method has another
	Solves   int            // right-hand sides that the eigensolver solved for
	Products int            // of the alignment matrix with a vector
	Angle    float64        // estimated between the span found and the true one; NaN: not known
	Details  map[string]any // what the method found on its way, such as NEML's eta
	Warnings []string

	extension   *extend.Extension // for new samples; nil: there is no rule, because of noExtension
	noExtension string

	// EstimatedBytes is the estimate of the most memory that the process needs: see Options.Memory.
	EstimatedBytes int64

	Seconds    Seconds // wall time: total, neighbors, patches, alignment, solve
	CPUSeconds Seconds // processor time of the same
}

// result is what was found, as the caller gets it.
func (f fit) result(s state, o *outcome) *Result {
	r := &Result{Y: o.Y, Standard: s.standardization(), Method: s.method.Name(), Params: s.params, Sparse: s.x.Compressed() != nil,
		Dim: method.RowOf(s.method).Dim, Backend: s.Kernels().Name(), Threads: blas.Threads(s.Threads()),
		Values: o.Values, Residuals: o.Residuals, Next: o.Next, Converged: o.Converged,
		Objective: o.Objective, Orthogonality: o.Orthogonality, Iterations: o.Iterations, KKT: math.NaN(),
		Quality: o.quality, Components: len(o.components), Sizes: o.components, Duplicates: s.copies.Count,
		Plan: o.Plan, Solves: o.Solves, Products: o.Products, Angle: o.Angle,
		Details: s.Notes(), Warnings: s.Warnings(), extension: o.Extension, noExtension: o.Reason, EstimatedBytes: s.Reckoned()}
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
