package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// FactorizeOptions say how a matrix is factorised. Of Options, Recall is about the
// neighbour graph and Labels are for supervised methods; Components, Duplicates,
// Landmarks and Init do nothing.
type FactorizeOptions struct {
	Options
	Rank int // R, the components to find; at least 1
	// InitW (n × R) and InitH (R × m) are the start in place of the method's own; both
	// or neither, nonnegative.
	InitW, InitH *mat.Dense
	// TraceEvery is the number of iterations between two points of the trace; 0: 10.
	TraceEvery int
}

// Factorization is X ≈ WH with W, H ≥ 0, and what is known of it. Of methods by an
// augmented Lagrangian (rmnmf and its kin) W has orthonormal columns, nonnegative up
// to Details["residual_indicators"], H is of either sign, and X are the scaled features.
type Factorization struct {
	W *mat.Dense // n × R, one row a sample: its coordinates
	H *mat.Dense // R × m, one row a component; of apmf: the directions of its subspace

	Method   string
	Params   map[string]any // all parameters, defaults filled in
	Samples  int
	Features int
	Rank     int
	Sparse   bool // the data were and stayed sparse
	Backend  string
	Threads  int

	// Trace has the start, every TraceEvery-th iteration and the last.
	Trace         []nmf.Point
	Iterations    int
	Converged     bool    // the tolerance was reached
	RelativeError float64 // ‖X − WH‖_F/‖X‖_F; 0 for X = 0; of apmf: of the projection

	Components int   // of the graph; 0 where the method has none, or a dense one
	Sizes      []int // of the components, descending
	Duplicates int   // samples that equal an earlier one

	Selection *Selected // of a selective method; nil: the method is none

	Plan     string // which products an iteration forms
	Details  map[string]any
	Warnings []string

	extension   *extension
	noExtension string

	Seconds    Seconds // wall time: total, neighbors, codes, patches, alignment, whitening, solve
	CPUSeconds Seconds
}

// Factorize approximates the rows of x by nonnegative combinations of R nonnegative
// components, by the given method. x may be any gonum matrix; a [*sparse.CSR] stays
// sparse in nmf, nmf-kl and gnmf and is made dense by the others.
//
// Components of the graph are reported and never refused; copies of samples, columns
// that are constant and rows or columns of zeros (which get zeros) are taken as they
// are. Errors are about entries that are negative (see the parameter shift) or not
// finite, a rank below 1, or above the lesser side with a start by singular vectors
// (otherwise a warning), parameters out of their range or that do not go together,
// labels that a supervised method lacks, and work beyond the memory limit.
func Factorize(ctx context.Context, x mat.Matrix, m Method, o FactorizeOptions) (*Factorization, error) {
	clock := NewClock()
	var err error
	if o.Options, err = o.Options.withDefaults(); err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	p := &problem{
		ctx: ctx, options: o.Options, kernels: kernels, clock: clock,
		report: &report{details: map[string]any{}},
	}
	r := &Factorization{Rank: o.Rank, Backend: kernels.Name(), Threads: blas.Threads(o.Threads)}
	r.Samples, r.Features = x.Dims()
	if err := p.factorize(x, m, o, r); err != nil {
		return nil, err
	}
	r.Warnings, r.Details = p.warnings, p.details
	r.Seconds, r.CPUSeconds = clock.Seconds()
	return r, nil
}

// factorize checks the input, resolves the parameters and takes the steps.
func (p *problem) factorize(x mat.Matrix, m Method, o FactorizeOptions, r *Factorization) error {
	if m == nil {
		return fmt.Errorf("engine: no method given")
	}
	if _, ok := m.(factorizer); !ok {
		return wrongTask(m, "factorize")
	}
	p.name = m.Name()
	m, err := p.resolveFactorizer(m, r)
	if err != nil {
		return err
	}
	f := m.(factorizer).factoring()
	r.noExtension = f.run.transductive()
	if p.options.Model && r.noExtension != "" {
		return r.withoutRule()
	}
	if err := p.takeData(x, f.sparse); err != nil {
		return err
	}
	if err := p.takeLabels(m); err != nil {
		return err
	}
	r.Sparse, r.Duplicates = p.sparse != nil, p.countCopies()
	work := factorWork{factoring: f, rank: o.Rank, initW: o.InitW, initH: o.InitH, traceEvery: o.TraceEvery}
	found, err := p.factorsOf(work)
	if err != nil {
		return err
	}
	r.Components, r.Sizes, r.Selection = p.components, p.sizes, p.selection
	r.W = mat.NewDense(r.Samples, o.Rank, found.w)
	r.H = mat.NewDense(len(found.h)/r.Features, r.Features, found.h)
	r.Trace, r.Iterations, r.Converged, r.Plan = found.trace, found.iterations, found.converged, found.plan
	r.RelativeError = found.relativeError()
	if run, ok := f.run.(extensible); ok {
		r.extension, r.noExtension = run.extension(p, r.H)
	}
	if p.options.Model && r.extension == nil {
		return r.withoutRule()
	}
	return nil
}

// resolveFactorizer fills in the defaults and reports the parameters.
func (p *problem) resolveFactorizer(m Method, r *Factorization) (Method, error) {
	m, err := resolved(settledFor("factorize", m), r.Samples, p.warn)
	if err != nil {
		return nil, err
	}
	if c, ok := m.(checker); ok {
		if err := c.check(r.Samples, r.Features); err != nil {
			return nil, err
		}
	}
	r.Method, r.Params = m.Name(), Values(m)
	delete(r.Params, "labels") // of a clustering, which is not sought here
	for _, f := range fields(&p.options) {
		if factorKeys[f.Key] {
			r.Params[f.Key] = f.current()
		}
	}
	p.params = r.Params
	return m, nil
}

// takeData keeps sparse data sparse where the method can, and refuses what cannot be
// factorised.
func (p *problem) takeData(x mat.Matrix, staySparse bool) error {
	n, m := x.Dims()
	if n < 1 || m < 1 {
		return fmt.Errorf("%s: %d × %d data cannot be factorised; give at least 1 sample and 1 column", p.name, n, m)
	}
	a, isSparse := x.(*sparse.CSR)
	if isSparse && staySparse {
		p.sparse, p.x = a, neighbors.Points{N: n, M: m}
		return p.checkSparse()
	}
	if isSparse {
		need := 8 * float64(n) * float64(m)
		if limit := p.options.Memory; limit > 0 && need > float64(limit) {
			return beyond("%s: this method needs the %d × %d sparse data dense, which is beyond the limit; take nmf, nmf-kl or gnmf, or raise the limit", p.name, n, m)
		}
		p.explain("data: sparse, made dense, as %s weights or compares every entry", p.name)
		x = a.Dense()
	}
	p.x = pointsOf(x)
	return p.checkFinite()
}

func (p *problem) checkSparse() error {
	for i := range p.sparse.Rows {
		cols, vals := p.sparse.Row(i)
		for q, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", p.name, i+1, cols[q]+1, v)
			}
		}
	}
	return nil
}

// countCopies counts the samples that equal an earlier one.
func (p *problem) countCopies() int {
	if p.sparse != nil {
		return sparseCopies(p.sparse)
	}
	return findCopies(p.x).count
}

// ofSolver words an error of the factorisation for the method.
func (p *problem) ofSolver(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	for _, solver := range []string{"nmf: ", "alm: ", "selective: ", "exemplars: "} {
		text = strings.TrimPrefix(text, solver)
	}
	return fmt.Errorf("%s: %s", p.name, text)
}
