package nmf

import (
	"context"
	"fmt"
	"math"
)

// Factorize looks for the factors of d. See [Options]. It refuses data that are
// negative or not finite (a [NegativeError] says where), ranks below 1, options
// that do not go together, and graphs that are not positive semidefinite. With
// λ > 0 the objective has no minimiser unless the graph term is balanced, because H
// can grow while W shrinks: the number of iterations is then part of the method. An iteration takes 4nmr flops
// under the squared error, 6nmr under L2,1, 8nmr under KL, 12nmr (14nmr with
// Refresh) under Correntropy; sparse data count their entries for nm, but take 10nmr (8nmr)
// under Correntropy, to which all entries count, and 8nmr under Beta, which takes 12nmr of
// dense data and 2nm powers of either. Under dense [Weights] multiplicative updates
// take 12nmr flops, under sparse ones work goes with what these store. Memory besides the data and the factors: at
// most 16 times H, some tiles, and n × m numbers for Correntropy of dense data with the
// schedule Paper.
func Factorize(ctx context.Context, d Data, o Options) (*Result, error) {
	if o.Solver == MiniBatch {
		return factorizeMemory(ctx, d, o)
	}
	d, err := d.underWeights(true, o.Loss.orDefault())
	if err != nil {
		return nil, err
	}
	totals, err := d.inspect()
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(d); err != nil {
		return nil, err
	}
	if err := o.checkLoss(d); err != nil {
		return nil, err
	}
	if d.Sparse != nil && d.transpose == nil && o.wantsTranspose() {
		d.transpose = transposeSparse(d.Sparse)
	}
	f, u, err := assemble(d, o, totals)
	if err != nil {
		return nil, err
	}
	res := &Result{Plan: u.plan()}
	if text := o.Penalties.warning(); text != "" && o.Fixed == NoneFixed {
		res.Warnings = append(res.Warnings, text)
	}
	if err := f.start(ctx, o, res); err != nil {
		return nil, err
	}
	if f.simplex {
		f.startOnSimplex()
	}
	if err := f.begin(ctx, u); err != nil {
		return nil, err
	}
	if err := f.iterate(ctx, u, o, res); err != nil {
		return nil, err
	}
	u.finish()
	if o.Normalize != Never {
		u.normalize()
	}
	res.W, res.H = f.w, f.h
	if f.parts != nil {
		res.Own = f.parts.ownSlab
	}
	if f.loss == NegativeBinomial {
		res.Dispersion = f.dispersion
	}
	res.Threshold = f.threshold
	if o.Sigma.Scale == MedianScale && totals.squares > 0 {
		res.Share = res.Sigma2 * float64(d.Rows) * float64(d.Cols) / totals.squares
	}
	if f.loss.warning != nil {
		if text := f.loss.warning(res.Trace[len(res.Trace)-1]); text != "" {
			res.Warnings = append(res.Warnings, text)
		}
	}
	return res, nil
}

// assemble makes a factorization and the updates of its loss and solver.
func assemble(d Data, o Options, totals dataSums) (*factorization, updates, error) {
	if o.Collection != nil {
		return newIntegrative(d, o, totals)
	}
	f := newFactorization(d, o, totals)
	if d.known != nil {
		return f, f.loss.algorithms[o.Solver].weighted(f, o), nil
	}
	g, err := newGraphTerm(f, o)
	if err != nil {
		return nil, nil, err
	}
	return f, f.loss.algorithms[o.Solver].updates(f, g, o), nil
}

// begin computes the sums of the current factors that the first step of updates needs.
func (f *factorization) begin(ctx context.Context, u updates) error {
	f.updateGram()
	return u.prepare(ctx)
}

// iterate steps until the limit, the tolerance or the watcher ends it.
func (f *factorization) iterate(ctx context.Context, u updates, o Options, res *Result) error {
	measure := func(iteration int) (Point, error) {
		p, err := u.point(ctx)
		if err == nil && p.Objective-p.Objective != 0 {
			err = fmt.Errorf("nmf: the objective is no longer finite after %d iterations; scale the data to moderate size, or bring λ, the penalties and β nearer to their defaults", iteration)
		}
		p.Iteration = iteration
		return p, err
	}
	record := func(p Point) bool {
		res.Trace = append(res.Trace, p)
		res.Sigma2 = p.Sigma2
		return o.Watch(p)
	}
	p, err := measure(0)
	if err != nil || record(p) {
		return err
	}
	if o.Warm > 0 {
		if err := f.warm(ctx, u, o); err != nil {
			return err
		}
		res.Iterations = min(o.Warm, o.Iterations)
		if p, err = measure(res.Iterations); err != nil || record(p) {
			return err
		}
	}
	stop := newStopping(o, p)
	for t := o.Warm + 1; t <= o.Iterations; t++ {
		stop.begin(f)
		traced := t%o.TraceEvery == 0 || t == o.Iterations
		if err := u.step(ctx, t, traced || o.Settle > 0 || stop.looks(t)); err != nil {
			return err
		}
		if o.Normalize == EachIteration {
			u.normalize()
		}
		res.Iterations = t
		o.Progress(float64(t) / float64(o.Iterations))
		if res.Converged, err = stop.ended(ctx, f, u, t); err != nil {
			return err
		}
		if traced || res.Converged || o.Settle > 0 {
			before := p.Objective
			if p, err = measure(t); err != nil {
				return err
			}
			res.Converged = res.Converged || o.Settle > 0 && math.Abs(before-p.Objective) <= o.Settle*math.Abs(before)
			if (traced || res.Converged) && record(p) {
				return nil
			}
		}
		if res.Converged {
			break
		}
	}
	o.Progress(1)
	return nil
}

// warmed are the options of the warm iterations: coordinate descent for the squared error,
// with the graph term.
func (o Options) warmed() Options {
	o.Loss, o.Solver, o.Iterations, o.Warm = Frobenius, HALS, min(o.Warm, o.Iterations), 0
	return o
}

// warm takes the warm iterations from the start, and begins the updates anew from the
// factors that these lead to.
func (f *factorization) warm(ctx context.Context, u updates, o Options) error {
	warmed := o.warmed()
	g, squares, err := assemble(f.data, warmed, f.totals)
	if err != nil {
		return err
	}
	copy(g.w, f.w)
	copy(g.h, f.h)
	if err := g.begin(ctx, squares); err != nil {
		return err
	}
	for t := 1; t <= warmed.Iterations; t++ {
		if err := squares.step(ctx, t, false); err != nil {
			return err
		}
		o.Progress(float64(t) / float64(o.Iterations))
	}
	copy(f.w, g.w)
	copy(f.h, g.h)
	return f.begin(ctx, u)
}
