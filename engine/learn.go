package engine

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Learning is what [Learn] knows after some samples, for the call that goes on. It is plain
// numbers: Seen, then H, A and B of [nmf.State], one after the other.
type Learning []float64

// Learn learns components from samples, batch by batch in their order, and goes on where an earlier
// call ended; before is nil in the first call. It is for samples that come little by little, with nmf
// or nmf-kl and solver=minibatch. Of earlier samples only sums over their coordinates are kept. The
// result has no W, and its trace has one point, the loss of the samples while they were learnt from;
// [Factorization.Model] encodes samples. The final number of samples is not known, so one pass, to
// which the parameter forget refers, is a pass over the samples seen so far.
func Learn(ctx context.Context, x mat.Matrix, m Method, o FactorizeOptions, before Learning) (*Factorization, Learning, error) {
	b, x, m, err := begin(ctx, "factorize", x, m, o.Options)
	if err != nil {
		return nil, nil, err
	}
	r := &Factorization{Rank: o.Rank, Backend: b.Kernels().Name(), Threads: blas.Threads(b.Threads())}
	r.Samples, r.Features = x.Dims()
	after, err := b.learn(x, m, o, before, r)
	if err != nil {
		return nil, nil, err
	}
	r.Warnings, r.Details, r.EstimatedBytes = b.Warnings(), b.Notes(), b.Reckoned()
	r.Seconds, r.CPUSeconds = b.clock.Seconds()
	return r, after, nil
}

func (b begun) learn(x mat.Matrix, m Method, o FactorizeOptions, before Learning, r *Factorization) (Learning, error) {
	if !InBatches(m) {
		return nil, wording.Errorf("%s: samples are learnt from in batches by nmf and nmf-kl with ‹solver=minibatch›; choose that solver", b.Method())
	}
	if samples.ByColumns(b.options.Standardize) {
		return nil, wording.Errorf("%s: ‹standardize=%s› is by all samples, and those of later calls are not known; scale them before, or take unit or log1p", b.Method(), b.options.Standardize)
	}
	if o.InitW != nil || o.InitH != nil {
		return nil, fmt.Errorf("%s: components that are learnt in batches start by themselves; leave out the start", b.Method())
	}
	m, err := b.toFactorize(m, r.Samples, r.Features)
	if err != nil {
		return nil, err
	}
	r.Method, r.Params = m.Name(), b.factorParams(m)
	points, err := b.data(x, true, staysSparse)
	if err != nil {
		return nil, err
	}
	points, scaled, err := b.ordinary(points)
	if err != nil {
		return nil, err
	}
	if scaled.exponent != 0 {
		return nil, scaled.refuse("samples of other calls are of another size")
	}
	r.Sparse = points.Compressed() != nil
	work := factor.Work{Run: b.Run, X: points, Plan: rowOf(m).factorize(), Rank: o.Rank}
	var known *nmf.State
	if before != nil {
		if known, err = before.state(o.Rank, r.Features, m.Name() == NMFKL{}.Name()); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Method(), err)
		}
	}
	found, after, err := work.Learn(known)
	if err != nil {
		return nil, err
	}
	r.take(found)
	b.standardExtension(r.extension)
	r.Standard = b.standardization()
	if b.options.Model && r.extension == nil {
		return nil, r.withoutRule()
	}
	learning := append(Learning{float64(after.Seen)}, after.H...)
	return append(append(learning, after.A...), after.B...), nil
}

// state takes the numbers apart.
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
