package engine

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FactorizeSource is [Factorize] for samples that need not fit into memory, by nmf or
// nmf-kl with solver=minibatch. The source is read batch by batch, once for each pass and once more at
// the end, when the coordinates W are written to out, in the order of the samples. out may be nil. The
// result has no W.
//
// Memory does not depend on the number of samples: two batches, and about ten times H. Data that
// [Factorize] refuses are refused when they are read; the error names row and column. A given start
// and a shift are not possible, and copies are not searched for.
func FactorizeSource(ctx context.Context, src nmf.Source, m Method, o FactorizeOptions, out RowSink) (*Factorization, error) {
	clock := NewClock()
	switch {
	case ctx == nil:
		return nil, errNoContext
	case run.Absent(m):
		return nil, method.ErrNoMethod
	case run.Absent(src):
		return nil, errors.New("engine: no samples to read; give a source")
	}
	settled, err := o.Options.withDefaults()
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	f := fit{task: "factorize", options: settled, data: shape{max(1, src.Rows()), src.Cols()}, clock: clock}
	s := state{Run: newRun(ctx, m.Name(), kernels, settled, clock), method: m}
	switch {
	case !InBatches(m):
		return nil, wording.Errorf("%s: samples that are read in batches are for nmf and nmf-kl with ‹solver=minibatch›", s.Method())
	case len(o.structures()) > 0:
		return nil, fmt.Errorf("%s: batches have no graph; leave out what is given of one", s.Method())
	case o.InitW != nil || o.InitH != nil:
		return nil, fmt.Errorf("%s: samples that are read in batches start by themselves; leave out the start", s.Method())
	}
	if err := s.refuseShape(f.task, f.data); err != nil {
		return nil, err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return nil, err
	}
	s, src, standard, err := f.standardize().source(s, src)
	if err != nil {
		return nil, err
	}
	work := factor.Work{Run: s.Run, Plan: method.RowOf(s.method).Factorize(), Rank: o.Rank}
	sink := func([]float64, int) error { return nil }
	if !run.Absent(out) {
		sink = func(w []float64, rows int) error { return out.Write(mat.NewDense(rows, o.Rank, w)) }
	}
	found, err := work.FactorizeSource(src, sink)
	if err != nil {
		return nil, err
	}
	r := f.factorization(s, o.Rank)
	r.Samples, r.Sparse = found.Samples, src.Sparse()
	if standard != nil {
		if err := standard.back(&fitted{state: s, rule: found.Extension}); err != nil {
			return nil, err
		}
	}
	r.take(found)
	if o.Model && r.extension == nil {
		return nil, r.withoutRule()
	}
	return f.finished(s, r), nil
}

// InBatches reports whether a method is one that [FactorizeSource] takes: nmf or nmf-kl with
// solver=minibatch.
func InBatches(m Method) bool { return method.RowOf(m).InBatches }
