package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/wording"
)

// Factorize approximates the rows of x by nonnegative combinations of R nonnegative
// components, by the given method. x may be any gonum matrix; a sparse one, of
// this module or of github.com/james-bowman/sparse ([sparse.Of] says which), stays sparse, except in
// the methods with an augmented Lagrangian, which keep matrices of residuals and make the samples
// dense.
//
// A graph with several components is no error; they are reported. Copies of samples, constant columns,
// and rows or columns of zeros (which get zeros) are accepted. Errors are: entries that are negative
// (see the parameter shift), not finite, or so large that the objective is out of range; a rank below
// 1, or above the smaller side of the data with a start from singular vectors (otherwise a warning);
// parameters that are out of range or do not go together; missing labels for a supervised method; and
// work beyond the memory limit.
func Factorize(ctx context.Context, x mat.Matrix, m Method, o FactorizeOptions) (*Factorization, error) {
	b, x, m, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, err
	}
	r := &Factorization{Rank: o.Rank, Backend: b.Kernels().Name(), Threads: blas.Threads(b.Threads())}
	r.Samples, r.Features = x.Dims()
	if err := b.factorize(x, m, o, r); err != nil {
		return nil, err
	}
	r.Warnings, r.Details, r.EstimatedBytes = b.Warnings(), b.Notes(), b.Reckoned()
	r.Seconds, r.CPUSeconds = b.clock.Seconds()
	return r, nil
}

// factorize checks the input, resolves the parameters and takes the steps.
func (b begun) factorize(x mat.Matrix, m Method, o FactorizeOptions, r *Factorization) error {
	m, err := b.toFactorize(m, r.Samples, r.Features)
	if err != nil {
		return err
	}
	r.Method, r.Params = m.Name(), b.factorParams(m)
	method := rowOf(m)
	plan := method.factorize()
	r.noExtension = plan.Solve.WithoutExtension()
	if b.options.Model && r.noExtension != "" {
		return r.withoutRule()
	}
	if o.Impute && b.options.Standardize != "none" {
		return wording.Errorf("%s: the imputed data would be standardised ones (‹standardize=%s›); leave one of the two out", b.Method(), b.options.Standardize)
	}
	given, kept := single(x, KeepsSingle(m) && absent(o.EntryWeights) && !o.Impute)
	if kept {
		given, err = b.standardized(given, false)
	} else {
		given, err = b.data(x, plan.Sparse, staysSparse)
	}
	if err != nil {
		return err
	}
	given, weights, err := b.weighted(given, m, o.EntryWeights)
	if err != nil {
		return err
	}
	if o.Impute {
		if err := b.Fit(8*int64(r.Samples)*int64(r.Features), "the imputed matrix needs", "leave it out, or raise the limit"); err != nil {
			return err
		}
	}
	points, scaled, err := b.ordinary(given)
	if err != nil {
		return err
	}
	if points, err = b.labeled(points, method.labels); err != nil {
		return err
	}
	r.Sparse, r.Duplicates = points.Compressed() != nil, given.CountCopies()
	if m, err = scaled.of(m); err != nil {
		return err
	}
	if err := b.oneUnit("factorize", method, given, scaled); err != nil {
		return err
	}
	if err := scaled.check(method.unitsOf()); err != nil {
		return err
	}
	work := factor.Work{Run: b.Run, X: points, Weights: weights, Plan: rowOf(m).factorize(), Rank: o.Rank, InitW: o.InitW, InitH: o.InitH, TraceEvery: o.TraceEvery}
	work.Plan.Neighbors, work.Plan.Patch = b.lists(work.Plan.Neighbors), b.edges(work.Plan.Patch)
	if err := scaled.start(&work); err != nil {
		return err
	}
	units := work.Plan.Solve.Units() // and not work from here on: its samples are let go
	found, err := work.Factorize()
	if err != nil {
		return err
	}
	if err := b.factors(scaled, found, units, method.unitsOf()); err != nil {
		return err
	}
	r.take(found)
	b.standardExtension(r.extension)
	r.Standard = b.standardization()
	if o.Impute {
		r.Imputed = b.imputed(x, weights, r)
	}
	if b.options.Model && r.extension == nil {
		return r.withoutRule()
	}
	return nil
}

// toFactorize refuses data without an entry, and resolves the parameters of the method.
func (b begun) toFactorize(m Method, samples, features int) (Method, error) {
	if samples < 1 || features < 1 {
		return nil, fmt.Errorf("%s: %d × %d data cannot be factorised; give at least 1 sample and 1 column", b.Method(), samples, features)
	}
	return b.resolve(settledFor("factorize", m), samples, features)
}

// factorParams are the parameters that a factorisation reads, without those of clusterings.
func (b begun) factorParams(m Method) map[string]any {
	params := Values(m)
	delete(params, "labels")
	delete(params, "rows")
	b.common(params, func(key string) bool { return factorKeys[key] })
	return params
}
