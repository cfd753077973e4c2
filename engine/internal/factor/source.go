package factor

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// FactorizeSource factorises samples that are read in batches, and calls out with the coordinates.
// The result has no W.
func (w Work) FactorizeSource(src nmf.Source, out func(rows []float64, n int) error) (*Found, error) {
	r := w.Plan.Solve.(ByNMF)
	o, err := r.sourceOptions(w)
	if err != nil {
		return nil, err
	}
	n, m := src.Rows(), src.Cols()
	batch := o.Batches.Rows
	if n >= 0 {
		batch = min(batch, n)
	}
	entries := 0
	if s, counts := src.(interface{ Entries() int }); counts && src.Sparse() && n > 0 {
		entries = s.Entries() / n * batch
	}
	if err := w.Fit(nmf.SourceBytes(batch, m, entries, o), fmt.Sprintf("batches of %d samples with %d columns need", batch, m), "take smaller batches (‹batch=N›), a smaller rank, or raise the limit"); err != nil {
		return nil, err
	}
	defer w.Phase("solve")()
	var own error // error of out, not of the solver
	found, err := nmf.FactorizeSource(w.Context(), src, o, extend.EncodeTolerance, func(rows []float64, n int) error {
		own = out(rows, n)
		return own
	})
	if own != nil {
		return nil, own
	}
	if err != nil {
		return nil, w.sourceError(err)
	}
	for _, text := range found.Warnings {
		w.Warn("%s", text)
	}
	f := &Found{H: found.H, Samples: found.Samples, Trace: found.Trace, Iterations: found.Iterations, Converged: found.Converged, Plan: found.Plan}
	f.Extension, f.Reason = r.extension(mat.NewDense(o.Rank, m, found.H), nil, found)
	w.Explain("solve: %s", found.Plan)
	f.judged(w.Run, w.Plan, 0)
	return f, w.Err()
}

// sourceError rewords an error of the solver; errors of the source are returned unchanged.
func (w Work) sourceError(err error) error {
	if read, is := errors.AsType[*nmf.SourceError](err); is {
		return read.Err
	}
	return w.WrapSolverError(err)
}

// sourceOptions returns the options of the solver, or an error if options are incompatible.
func (r ByNMF) sourceOptions(w Work) (nmf.Options, error) {
	o := r.Options
	o.Rank, o.Kernels, o.Threads, o.Progress = w.Rank, w.Kernels(), w.Threads(), w.Counting("solve", run.Passes, o.Iterations+1)
	o.Seed = blas.NewStream(w.Seed()).Uint64()
	switch {
	case w.Rank < 1:
		return o, fmt.Errorf("%s: rank %d; give a whole number ≥ 1", w.Method(), w.Rank)
	case r.Shift != "" && r.Shift != "none":
		return o, wording.Errorf("%s: ‹shift=%s› needs all samples at once; shift them beforehand, or leave it out", w.Method(), r.Shift)
	}
	return o, r.checkMiniBatch(w, o)
}

// checkMiniBatch returns an error for options that solver=minibatch does not support.
func (r ByNMF) checkMiniBatch(w Work, o nmf.Options) error {
	switch {
	case o.Solver != nmf.MiniBatch:
		return nil
	case o.Penalties.Present():
		return wording.Errorf("%s: ‹solver=minibatch› takes no penalties; leave out ‹alpha_w› and ‹alpha_h›, or choose another solver", w.Method())
	case o.Smooth > 0:
		return wording.Errorf("%s: ‹smooth_h› goes with no ‹solver=minibatch›; leave one of the two out", w.Method())
	case o.Fixed != "" && o.Fixed != nmf.NoneFixed:
		return wording.Errorf("%s: ‹solver=minibatch› learns both factors; leave out ‹fixed=%s›, or choose another solver", w.Method(), o.Fixed)
	case o.Order == nmf.WFirst:
		return wording.Errorf("%s: ‹solver=minibatch› has no order; leave out ‹order=w-first›", w.Method())
	case w.Weights.Present() || w.HeldOut > 0:
		return wording.Errorf("%s: ‹solver=minibatch› takes no missing, held-out or weighted entries; choose another solver", w.Method())
	case o.Normalize == nmf.EachIteration:
		return wording.Errorf("%s: ‹solver=minibatch› normalises at the end or never; choose ‹normalise=end› or none", w.Method())
	case o.Stop != "" && o.Stop != nmf.Change:
		return wording.Errorf("%s: ‹solver=minibatch› stops by the change of H; leave out ‹stop=%s›", w.Method(), o.Stop)
	}
	return nil
}

// Learn learns components from samples, batch after batch in their order, continuing from a state;
// nil: from the beginning. The result has no W. Its trace has the loss of
// the samples during learning.
func (w Work) Learn(before *nmf.State) (*Found, nmf.State, error) {
	r := w.Plan.Solve.(ByNMF)
	o, err := r.sourceOptions(w)
	if err != nil {
		return nil, nmf.State{}, err
	}
	x := w.X
	batch := min(o.Batches.Rows, x.N())
	if err := w.Fit(nmf.SourceBytes(batch, x.M(), storedEntries(x)/max(1, x.N())*batch, o), fmt.Sprintf("batches of %d samples with %d columns need", batch, x.M()), "take smaller batches (batch), a smaller rank, or raise the limit"); err != nil {
		return nil, nmf.State{}, err
	}
	defer w.Phase("solve")()
	l, err := nmf.NewOnline(0, x.M(), o)
	if err == nil && before != nil {
		err = l.Restore(*before)
	}
	if err != nil {
		return nil, nmf.State{}, w.WrapSolverError(err)
	}
	var sum nmf.Learned
	for lo := 0; lo < x.N(); lo += batch {
		done, err := l.Step(w.Context(), DataOf(x.Range(lo, min(lo+batch, x.N()))))
		if err != nil {
			return nil, nmf.State{}, w.WrapSolverError(nmf.InRow(err, lo))
		}
		sum.Add(done)
		w.Fraction("solve")(float64(sum.Rows) / float64(x.N()))
	}
	f := &Found{H: l.Components(), Samples: sum.Rows, Trace: []nmf.Point{sum.Point()}, Iterations: 1, Plan: "sums that fade, and a step of H for each batch"}
	if o.Normalize != nmf.Never {
		nmf.UnitRows(f.H, x.M())
	}
	f.Extension, f.Reason = r.extension(mat.NewDense(w.Rank, x.M(), f.H), nil, &nmf.Result{})
	f.judged(w.Run, w.Plan, 0)
	return f, l.State(), w.Err()
}
