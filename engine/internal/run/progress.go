package run

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
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

// Counting is [Run.Fraction] of a phase that takes this many of a unit, all alike.
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

// Iterating is Counting of at most most iterations. A value that objective is given is reported
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

// When a phase has a rate, and when it is worth a line.
const (
	rateTime = 100 * time.Millisecond // that the first part takes
	longTime = time.Second            // of the whole phase
)

// rates tell what a phase is going to take, once, from how its first part went.
type rates struct {
	tell func(line string)
	now  func() time.Time

	mu    sync.Mutex
	first At        // of the phase under way
	since time.Time // when it was reported
	told  bool
}

// reporting passes progress on, and writes a line for each phase whose parts are alike and that takes long.
func (s *Settings) reporting() func(At) {
	r := &rates{tell: s.Explain, now: time.Now}
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
		r.first, r.since, r.told = at, now, false
		return
	}
	took, share := now.Sub(r.since), at.Done-r.first.Done
	if r.told || took < rateTime || share <= 0 {
		return
	}
	r.told = true
	whole := time.Duration(float64(took) * (1 - r.first.Done) / share)
	if whole < longTime {
		return
	}
	most := ""
	if at.Unit == Iterations || at.Unit == Passes {
		most = "at most "
	}
	r.tell(fmt.Sprintf("seconds: %s about %s (%s%d %s), from the rate of its first %.2g s", at.Phase, About(whole.Seconds()), most, at.Of, at.Unit, took.Seconds()))
}

// About writes seconds that are not known better than to two digits.
func About(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.2g", seconds)
	}
	unit := math.Pow(10, math.Floor(math.Log10(seconds))-1)
	return fmt.Sprintf("%.0f", unit*math.Round(seconds/unit))
}
