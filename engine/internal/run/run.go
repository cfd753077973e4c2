// Package run holds what is under way: the context, the resources, the clock and
// what a run reports besides its result. A [Run] is made once and has no field
// that a step could write; what a step finds it returns. Warnings, details, progress
// and explanations go to the caller and are read by no step.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// Settings are what a run is made of. Functions that are nil do nothing.
type Settings struct {
	Kernels     *blas.Kernels
	Threads     int              // workers; 0: all cores
	Seed        uint64           // of everything random
	Memory      int64            // bytes of the process beyond which work is refused; 0: no limit
	Metric      neighbors.Metric // by which nearest samples are found; empty: Euclidean
	Approximate bool             // they may be found approximately
	ExactWithin float64          // but exactly where that takes no longer, in seconds of a processor
	Recall      float64          // the share of true neighbours that an approximate search has to reach
	Certified   bool             // that no eigenvalue was missed is to be proved

	Phase    func(name string) (end func()) // times a phase
	Progress func(At)
	Explain  func(line string)
}

// ThreadsFor is the number of threads of a run that was asked to take n. Tests take more than
// a machine may have cores.
var ThreadsFor = limits.ForProcess

// ErrNoContext refuses a run without a context.
var ErrNoContext = errors.New("engine: no context given; give context.Background() where nothing cancels the work")

// Run is one piece of work under way, for one method.
type Run struct {
	ctx      context.Context
	method   string
	settings Settings
	report   *report
	held     int64 // bytes that are held by the caller and by the steps before
	reckoned *reckoned
}

// New begins a run of the method of that name.
func New(ctx context.Context, method string, s Settings) *Run {
	if s.Phase == nil {
		s.Phase = func(string) func() { return func() {} }
	}
	if s.Progress == nil {
		s.Progress = func(At) {}
	}
	if s.Explain == nil {
		s.Explain = func(string) {}
	} else {
		s.Explain = inTurn(s.Explain)
		s.Progress = s.reporting()
	}
	if s.Metric == "" {
		s.Metric = neighbors.Euclidean
	}
	return &Run{ctx: ctx, method: method, settings: s, report: new(report), reckoned: &reckoned{}}
}

// inTurn takes one line at a time: progress, by which phases are reckoned, comes from any goroutine.
func inTurn(tell func(line string)) func(line string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		tell(line)
	}
}

// Context is the context of the run.
func (r *Run) Context() context.Context { return r.ctx }

// Err is the context's error.
func (r *Run) Err() error { return r.ctx.Err() }

// Method is the name that errors begin with.
func (r *Run) Method() string { return r.method }

// Kernels are the dense kernels of the backend.
func (r *Run) Kernels() *blas.Kernels { return r.settings.Kernels }

// Threads is the number of workers; 0: all cores.
func (r *Run) Threads() int { return r.settings.Threads }

// Seed is that of everything random.
func (r *Run) Seed() uint64 { return r.settings.Seed }

// Memory is the limit in bytes; 0: none.
func (r *Run) Memory() int64 { return r.settings.Memory }

// Metric is that by which the nearest samples are found.
func (r *Run) Metric() neighbors.Metric { return r.settings.Metric }

// Approximate reports whether nearest samples may be found approximately.
func (r *Run) Approximate() bool { return r.settings.Approximate }

// ExactWithin is the length of an exact search, in seconds of a processor, that is preferred to an approximate one.
func (r *Run) ExactWithin() float64 { return r.settings.ExactWithin }

// Recall is the share of true neighbours that an approximate search has to reach.
func (r *Run) Recall() float64 { return r.settings.Recall }

// Certified reports whether it is to be proved that no eigenvalue was missed.
func (r *Run) Certified() bool { return r.settings.Certified }

// Phase times a phase, until end is called.
func (r *Run) Phase(name string) (end func()) { return r.settings.Phase(name) }

// Explain writes one line about what is going to be done.
func (r *Run) Explain(format string, args ...any) {
	r.settings.Explain(r.Say(fmt.Sprintf(format, args...)))
}

// Part is the same run for a part of the samples: its warnings are its own, its details
// begin with those found so far, and all the rest is shared.
func (r *Run) Part() *Run {
	part := *r
	part.report = r.report.part()
	return &part
}

// Within is a run inside this one that reports nothing to the caller: its report is its
// own, and neither its progress nor its phases count.
func (r *Run) Within() *Run {
	s := r.settings
	s.Phase, s.Progress, s.Explain, s.Certified = nil, nil, nil, false
	inside := New(r.ctx, r.method, s)
	inside.held, inside.reckoned = r.held, r.reckoned
	return inside
}

// Trial is [Run.Within] for work that is left out where the limit has no room for it: the run
// does not need what it takes. It is a function because the methods of a run are those of
// engine.Shared too.
func Trial(r *Run) *Run {
	trial := r.Within()
	trial.reckoned = new(reckoned)
	return trial
}

// Euclidean is the same run with the Euclidean metric, for samples that are not those of the caller, or
// for what has no meaning by another one. It is a function for the same reason as [Trial].
func Euclidean(r *Run) *Run {
	own := *r
	own.settings.Metric = neighbors.Euclidean
	return &own
}

// report collects what is said about a run besides its result. It is written only.
type report struct {
	warnings []string
	details  Details
}

func (r *report) part() *report { return &report{details: slices.Clone(r.details)} }

// Say is a text in the words that the context of the run asks for (see [wording]).
func (r *Run) Say(marked string) string { return wording.Text(marked, wording.Of(r.ctx)) }

// Warn reports something doubtful to the caller.
func (r *Run) Warn(format string, args ...any) {
	r.report.warnings = append(r.report.warnings, r.Say(fmt.Sprintf(format, args...)))
}

// Note gives the caller a detail without a unit.
func (r *Run) Note(key string, value any) { r.detail(Detail{Name: key, Value: value}) }

// Measure gives the caller of a run a detail in a power of the unit of the samples. It is a function, as
// [DetailsOf] and [SetDetails] are, because the methods of a run are those of engine.Shared too.
func Measure(r *Run, name string, unit Unit, value float64) { r.detail(Detail{name, value, unit}) }

// MeasureAll is [Measure] for several numbers.
func MeasureAll(r *Run, name string, unit Unit, values []float64) {
	r.detail(Detail{name, values, unit})
}

func (r *Run) detail(d Detail) { r.report.details = r.report.details.with(d) }

// Warnings are those of the run so far.
func (r *Run) Warnings() []string { return r.report.warnings }

// Notes are the details so far as callers get them.
func (r *Run) Notes() map[string]any { return r.report.details.Map() }

// DetailsOf are those of a run so far.
func DetailsOf(r *Run) Details { return r.report.details }

// SetDetails puts others in their place.
func SetDetails(r *Run, d Details) { r.report.details = d }

// Adopt makes the details of a part those of the run.
func (r *Run) Adopt(part *Run) { r.report.details = slices.Clone(part.report.details) }
