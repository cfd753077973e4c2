package engine

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FactorizeSource is [Factorize] for samples that need not fit into memory, by nmf or
// nmf-kl with solver=minibatch. The source is read in batches, once for each pass and once more at
// the end, when the coordinates W are written to out in the order of the samples. out may be nil. The
// result has no W.
//
// Memory does not depend on the number of samples: it is two batches, and about ten times H. Data that
// [Factorize] refuses are refused when they are read; the error names row and column. A given start
// and a shift are not supported, and copies are not counted.
func FactorizeSource(ctx context.Context, src nmf.Source, m Method, o FactorizeOptions, out RowSink) (*Factorization, error) {
	clock := NewClock()
	switch {
	case ctx == nil:
		return nil, run.ErrNoContext
	case param.Absent(m):
		return nil, method.ErrNoMethod
	case param.Absent(src):
		return nil, errors.New("engine: no samples to read; give a source")
	}
	settled, err := withDefaults(o.Options)
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	f := fit{task: "factorize", options: settled, data: shape{max(1, src.Rows()), src.Cols()}, clock: clock}
	s := state{Run: method.NewRun(ctx, m.Name(), kernels, settled, clock), method: m}
	switch {
	case !InBatches(m):
		return nil, wording.Errorf("%s: samples that are read in batches are for nmf and nmf-kl with ‹solver=minibatch›", s.Method())
	case len(structures(o.Options)) > 0:
		return nil, fmt.Errorf("%s: batches have no graph; leave out what is given of one", s.Method())
	case o.Collection.present():
		return nil, o.Collection.refuse(s.Method(), "need all samples at once; leave them out, or take a solver other than ‹solver=minibatch› and data in memory")
	case o.Rank == Auto:
		return nil, wording.Errorf("%s: the rank is found by entries that are held out of data in memory; give a number for ‹rank›, found on as many samples as fit", s.Method())
	case o.InitW != nil || o.InitH != nil:
		return nil, fmt.Errorf("%s: samples that are read in batches start by themselves; leave out the start", s.Method())
	}
	if err := refuseWeights(m, o.Weights); err != nil {
		return nil, err
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
	if !param.Absent(out) {
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

// InBatches reports whether [FactorizeSource] accepts the method: nmf or nmf-kl with
// solver=minibatch.
func InBatches(m Method) bool { return method.RowOf(m).InBatches }

// Learning is the state of [Learn] after some samples, for the next call. It consists of plain
// numbers: Seen, then H, A and B of [nmf.State].
type Learning []float64

// Learn learns components from samples, in batches in their order, and continues an earlier
// call; before is nil in the first call. It is for samples that arrive over time, with nmf
// or nmf-kl and solver=minibatch. Of earlier samples it keeps only sums over their coordinates. The
// result has no W, and its trace has one point, the loss of the samples during learning;
// [Factorization.Model] encodes samples. The final number of samples is not known, so one pass, to
// which the parameter forget refers, is a pass over the samples seen so far.
func Learn(ctx context.Context, x mat.Matrix, m Method, o FactorizeOptions, before Learning) (*Factorization, Learning, error) {
	f, s, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, nil, err
	}
	o.Options = f.options
	switch {
	case !InBatches(m):
		return nil, nil, wording.Errorf("%s: samples are learnt from in batches by nmf and nmf-kl with ‹solver=minibatch›; choose that solver", s.Method())
	case o.Collection.present():
		return nil, nil, o.Collection.refuse(s.Method(), "need all samples at once; leave them out, or factorise all samples")
	case samples.ByColumns(o.Standardize):
		return nil, nil, wording.Errorf("%s: ‹standardize=%s› depends on all samples, and the samples of later calls are unknown; scale them before, or use unit or log1p", s.Method(), o.Standardize)
	case o.InitW != nil || o.InitH != nil:
		return nil, nil, fmt.Errorf("%s: components that are learnt in batches start by themselves; leave out the start", s.Method())
	}
	s, stages, err := through(s, parameters{fit: f, early: true}, read{data: f.data}, f.standardize(), densify{remedy: staysSparse}, rescale{})
	if err != nil {
		return nil, nil, err
	}
	if s.unit.Exponent != 0 {
		return nil, nil, s.unit.Refuse("samples of other calls are of another size")
	}
	r := f.factorization(s, o.Rank)
	r.Sparse = s.x.Compressed() != nil
	work := factor.Work{Run: s.Run, X: s.x, Plan: method.RowOf(s.method).Factorize(), Rank: o.Rank}
	var known *nmf.State
	if before != nil {
		if known, err = before.state(o.Rank, r.Features, s.method.Name() == NMFKL{}.Name()); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.Method(), err)
		}
	}
	found, after, err := work.Learn(known)
	if err != nil {
		return nil, nil, err
	}
	if err := factored(found, work.Plan.Solve.Units(), s, stages); err != nil {
		return nil, nil, err
	}
	r.take(found)
	if o.Model && r.extension == nil {
		return nil, nil, r.withoutRule()
	}
	learning := append(Learning{float64(after.Seen)}, after.H...)
	return f.finished(s, r), append(append(learning, after.A...), after.B...), nil
}

// state converts the numbers to the state of the solver.
func (l Learning) state(rank, features int, divergence bool) (*nmf.State, error) {
	h := rank * features
	a, b := rank*rank, h
	if divergence {
		a, b = h, rank
	}
	if rank < 1 || len(l) != 1+h+a+b {
		return nil, errors.New("what was learnt before is of another rank, method or number of columns; begin anew")
	}
	if seen := l[0]; !(seen >= 1 && seen < 1<<53) {
		return nil, fmt.Errorf("what was learnt before is damaged: it is of %v samples", seen)
	}
	return &nmf.State{Seen: int(l[0]), H: l[1 : 1+h], A: l[1+h : 1+h+a], B: l[1+h+a:]}, nil
}
