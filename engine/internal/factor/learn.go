package factor

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// Learn learns components from samples, batch after batch in their order, after those that a
// state knows of; nil: there were none. What is found has no W. Its trace has the loss of
// the samples while they were learnt from.
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
		return nil, nmf.State{}, w.Solver(err)
	}
	var sum nmf.Learned
	for lo := 0; lo < x.N(); lo += batch {
		done, err := l.Step(w.Context(), DataOf(x.Range(lo, min(lo+batch, x.N()))))
		if err != nil {
			return nil, nmf.State{}, w.Solver(nmf.InRow(err, lo))
		}
		sum.Add(done)
		w.Fraction("solve")(float64(sum.Rows) / float64(x.N()))
	}
	f := &Found{H: l.Components(), Samples: sum.Rows, Trace: []nmf.Point{sum.Point()}, Iterations: 1, Plan: "sums that fade, and a step of H for each batch"}
	if o.Normalize != nmf.Never {
		nmf.UnitRows(f.H, x.M())
	}
	f.Extension, f.Reason = r.extension(mat.NewDense(w.Rank, x.M(), f.H), nil, 0)
	f.judged(w.Run, w.Plan, 0)
	return f, l.State(), w.Err()
}
