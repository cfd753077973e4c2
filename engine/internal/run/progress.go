package run

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// At is the progress of one phase.
type At struct {
	Phase     string
	Done      float64 // 0 to 1
	Count, Of int     // in Unit; Of is 0 if the phase is not counted
	Unit      string  // such as "rows", in the plural
	Objective float64 // latest objective of an iteration
	Measured  bool    // Objective is valid
}

// Units of phases.
const (
	Rows       = "rows"
	Iterations = "iterations"
	Passes     = "passes" // over the samples

	factorColumns = "columns of the factor" // not equally costly: the last ones take most of the time
)

// Fraction returns a callback that reports the progress of a phase.
func (r *Run) Fraction(phase string) func(float64) {
	return func(done float64) { r.settings.Progress(At{Phase: phase, Done: done}) }
}

// Counting is [Run.Fraction] for a phase of the given number of units of equal cost.
func (r *Run) Counting(phase, unit string, of int) func(float64) {
	return func(done float64) {
		r.settings.Progress(At{Phase: phase, Done: done, Count: int(math.Round(done * float64(of))), Of: of, Unit: unit})
	}
}

// Counted reports the progress of a phase from the number of rows done, out of n.
func (r *Run) Counted(phase string, n int) func(more int) {
	var done atomic.Int64
	report := r.Counting(phase, Rows, n)
	return func(more int) { report(float64(done.Add(int64(more))) / float64(n)) }
}

// Iterating is Counting for at most the given number of iterations. A value passed to objective is
// reported with the following iterations.
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

// Thresholds for measuring the rate of a phase and for reporting it.
const (
	rateTime = 100 * time.Millisecond // time of the first part, from which a rate is measured
	longTime = time.Second            // expected time of the phase, from which it is reported
)

// rates report the expected time of a phase once, from the time of its first part.
type rates struct {
	report func(line string)
	now    func() time.Time

	mu       sync.Mutex
	first    At        // of the current phase
	since    time.Time // time of that report
	reported bool
}

// reporting passes progress on, and writes a line for each long phase whose units have equal cost.
func (s *Settings) reporting() func(At) {
	r := &rates{report: s.Explain, now: time.Now}
	progress := s.Progress
	return func(at At) {
		progress(at)
		if at.Of > 0 && at.Unit != factorColumns {
			r.see(at)
		}
	}
}

func (r *rates) see(at At) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if at.Phase != r.first.Phase {
		r.first, r.since, r.reported = at, now, false
		return
	}
	took, share := now.Sub(r.since), at.Done-r.first.Done
	if r.reported || took < rateTime || share <= 0 {
		return
	}
	r.reported = true
	whole := time.Duration(float64(took) * (1 - r.first.Done) / share)
	if whole < longTime {
		return
	}
	most := ""
	if at.Unit == Iterations || at.Unit == Passes {
		most = "at most "
	}
	r.report(fmt.Sprintf("seconds: %s about %s (%s%d %s), from the rate of its first %.2g s", at.Phase, About(whole.Seconds()), most, at.Of, at.Unit, took.Seconds()))
}

// About formats seconds to two digits.
func About(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.2g", seconds)
	}
	unit := math.Pow(10, math.Floor(math.Log10(seconds))-1)
	return fmt.Sprintf("%.0f", unit*math.Round(seconds/unit))
}
