package engine

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
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
	case absent(m):
		return nil, errNoMethod
	case absent(src):
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
	b := beginAs(ctx, m.Name(), kernels, settled, clock)
	r := &Factorization{Rank: o.Rank, Backend: kernels.Name(), Threads: blas.Threads(b.Threads()), Features: src.Cols(), Sparse: src.Sparse()}
	if err := b.factorizeSource(src, m, o, out, r); err != nil {
		return nil, err
	}
	r.Warnings, r.Details, r.EstimatedBytes = b.Warnings(), b.Notes(), b.Reckoned()
	r.Seconds, r.CPUSeconds = b.clock.Seconds()
	return r, nil
}

func (b begun) factorizeSource(src nmf.Source, m Method, o FactorizeOptions, out RowSink, r *Factorization) error {
	switch {
	case !InBatches(m):
		return wording.Errorf("%s: samples that are read in batches are for nmf and nmf-kl with ‹solver=minibatch›", b.Method())
	case len(o.structures()) > 0:
		return fmt.Errorf("%s: batches have no graph; leave out what is given of one", b.Method())
	case o.InitW != nil || o.InitH != nil:
		return fmt.Errorf("%s: samples that are read in batches start by themselves; leave out the start", b.Method())
	}
	m, err := b.toFactorize(m, max(1, src.Rows()), src.Cols())
	if err != nil {
		return err
	}
	r.Method, r.Params = m.Name(), b.factorParams(m)
	if src, err = b.standardizedSource(src); err != nil {
		return err
	}
	work := factor.Work{Run: b.Run, Plan: rowOf(m).factorize(), Rank: o.Rank}
	sink := func([]float64, int) error { return nil }
	if !absent(out) {
		sink = func(w []float64, rows int) error { return out.Write(mat.NewDense(rows, o.Rank, w)) }
	}
	found, err := work.FactorizeSource(src, sink)
	if err != nil {
		return err
	}
	r.Samples = found.Samples
	r.take(found)
	b.standardExtension(r.extension)
	r.Standard = b.standardization()
	if b.options.Model && r.extension == nil {
		return r.withoutRule()
	}
	return nil
}

func (p NMF) inBatches() bool   { return p.Solver == nmf.MiniBatch }
func (p NMFKL) inBatches() bool { return p.Solver == nmf.MiniBatch }

// InBatches tells whether a method is one that [FactorizeSource] takes: nmf or nmf-kl with
// solver=minibatch.
func InBatches(m Method) bool {
	p, may := m.(interface{ inBatches() bool })
	return may && p.inBatches()
}
