package run

import (
	"math"
	"sync/atomic"
)

// At is how far one phase has come.
type At struct {
	Phase     string
	Done      float64 // 0 to 1
	Count, Of int     // of Unit; Of is 0 where the phase is not counted
	Unit      string  // as in "rows", for more than one
	Objective float64 // the last that is known of an iteration
	Measured  bool    // there is an Objective
}

// Units of phases.
const (
	Rows       = "rows"
	Iterations = "iterations"
	Passes     = "passes" // over the samples

	factorColumns = "columns of the factor" // not alike: the last ones take most
)

// Fraction returns a callback that reports the progress of a phase.
func (r *Run) Fraction(phase string) func(float64) {
	return func(done float64) { r.settings.Progress(At{Phase: phase, Done: done}) }
}

// Counting is [Run.Fraction] of a phase that takes so many of a unit, all alike.
func (r *Run) Counting(phase, unit string, of int) func(float64) {
	return func(done float64) {
		r.settings.Progress(At{Phase: phase, Done: done, Count: int(math.Round(done * float64(of))), Of: of, Unit: unit})
	}
}

// Counted reports the progress of a phase as the sum of what is done of n rows.
func (r *Run) Counted(phase string, n int) func(more int) {
	var done atomic.Int64
	tell := r.Counting(phase, Rows, n)
	return func(more int) { tell(float64(done.Add(int64(more))) / float64(n)) }
}

// Iterating is Counting of at most so many iterations. What objective is given is told
// with the iterations that follow.
func (r *Run) Iterating(phase string, most int) (progress func(done float64), objective func(v float64)) {
	var last atomic.Uint64
	var measured atomic.Bool
	progress = func(done float64) {
		r.settings.Progress(At{Phase: phase, Done: done, Count: int(math.Round(done * float64(most))), Of: most, Unit: Iterations,
			Objective: math.Float64frombits(last.Load()), Measured: measured.Load()})
	}
	return progress, func(v float64) {
		last.Store(math.Float64bits(v))
		measured.Store(true)
	}
}

// Factoring reports columns of a sparse factor as the first half of a phase.
func (r *Run) Factoring(phase string) func(columns, of int, share float64) {
	return func(columns, of int, share float64) {
		r.settings.Progress(At{Phase: phase, Done: share / 2, Count: columns, Of: of, Unit: factorColumns})
	}
}
