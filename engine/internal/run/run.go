// Package run holds the state of one computation: its context, resources and clock, and the
// warnings, details, progress and explanations that it reports in addition to its result. A [Run]
// is made once, and steps cannot write to its fields: they return what they find. Reports go to
// the caller; no step reads them.
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

// Settings configure a run. A nil function does nothing.
type Settings struct {
	Kernels     *blas.Kernels
	Threads     int              // workers; 0: all cores
	Seed        uint64           // for all random numbers
	Memory      int64            // limit for the whole process, in bytes; 0: no limit
	Metric      neighbors.Metric // of the neighbour search; empty: Euclidean
	Approximate bool             // allows an approximate neighbour search
	ExactWithin float64          // an exact search is still preferred if it takes at most this many CPU seconds
	Recall      float64          // the required recall of an approximate search
	Certified   bool             // prove that no eigenvalue was missed

	Phase    func(name string) (end func()) // times a phase
	Progress func(At)
	Explain  func(line string)
}

// ThreadsFor returns the number of threads of a run for which n were requested. Tests replace it
// to use more threads than the machine has cores.
var ThreadsFor = limits.ForProcess

// ErrNoContext refuses a run without a context.
var ErrNoContext = errors.New("engine: no context given; give context.Background() where nothing cancels the work")

// Run is a computation in progress, for one method.
type Run struct {
	ctx      context.Context
	method   string
	settings Settings
	report   *report
	held     int64 // bytes already held by the caller and by earlier steps
	peak     *peak
}

// New begins a run. The name of the method begins its error messages.
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
	return &Run{ctx: ctx, method: method, settings: s, report: new(report), peak: &peak{}}
}

// inTurn serializes calls of report: lines may come from any goroutine.
func inTurn(report func(line string)) func(line string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		report(line)
	}
}

// Context returns the context of the run.
func (r *Run) Context() context.Context { return r.ctx }

// Err returns the error of the context.
func (r *Run) Err() error { return r.ctx.Err() }

// Method returns the name with which errors begin.
func (r *Run) Method() string { return r.method }

// Kernels returns the dense kernels of the backend.
func (r *Run) Kernels() *blas.Kernels { return r.settings.Kernels }

// Threads returns the number of workers; 0: all cores.
func (r *Run) Threads() int { return r.settings.Threads }

// Seed returns the seed for all random numbers.
func (r *Run) Seed() uint64 { return r.settings.Seed }

// Memory returns the limit in bytes; 0: none.
func (r *Run) Memory() int64 { return r.settings.Memory }

// Metric returns the metric of the neighbour search.
func (r *Run) Metric() neighbors.Metric { return r.settings.Metric }

// Approximate reports whether the neighbour search may be approximate.
func (r *Run) Approximate() bool { return r.settings.Approximate }

// ExactWithin returns the CPU seconds up to which an exact search is preferred to an approximate one.
func (r *Run) ExactWithin() float64 { return r.settings.ExactWithin }

// Recall returns the required recall of an approximate search.
func (r *Run) Recall() float64 { return r.settings.Recall }

// Certified reports whether to prove that no eigenvalue was missed.
func (r *Run) Certified() bool { return r.settings.Certified }

// Phase times a phase until end is called.
func (r *Run) Phase(name string) (end func()) { return r.settings.Phase(name) }

// Explain writes one line about the planned work.
func (r *Run) Explain(format string, args ...any) {
	r.settings.Explain(r.Say(fmt.Sprintf(format, args...)))
}

// Part returns the same run for a part of the samples. It starts with the details found so far and
// with no warnings; everything else is shared.
func (r *Run) Part() *Run {
	part := *r
	part.report = r.report.part()
	return &part
}

// Within returns a run inside this one that reports nothing to the caller: its warnings and details
// are separate, and its progress and phases are not reported.
func (r *Run) Within() *Run {
	s := r.settings
	s.Phase, s.Progress, s.Explain, s.Certified = nil, nil, nil, false
	inside := New(r.ctx, r.method, s)
	inside.held, inside.peak = r.held, r.peak
	return inside
}

// Trial is [Run.Within] for optional work, which is skipped if it does not fit into the memory limit:
// its memory does not count in the peak of the run. It is a function because the methods of a run
// are also the methods of engine.Shared.
func Trial(r *Run) *Run {
	trial := r.Within()
	trial.peak = new(peak)
	return trial
}

// Seeded returns the same run with another seed. It is a function for the same reason as [Trial].
func Seeded(r *Run, seed uint64) *Run {
	own := *r
	own.settings.Seed = seed
	return &own
}

// Euclidean returns the same run with the Euclidean metric, for samples that are not the caller's or for
// work that has no meaning in another metric. It is a function for the same reason as [Trial].
func Euclidean(r *Run) *Run {
	own := *r
	own.settings.Metric = neighbors.Euclidean
	return &own
}

// report collects the warnings and details of a run. Steps write it and do not read it.
type report struct {
	warnings []string
	details  Details
}

func (r *report) part() *report { return &report{details: slices.Clone(r.details)} }

// Say returns a text in the wording of the context (see [wording]).
func (r *Run) Say(marked string) string { return wording.Text(marked, wording.Of(r.ctx)) }

// Warn gives the caller a warning.
func (r *Run) Warn(format string, args ...any) {
	r.report.warnings = append(r.report.warnings, r.Say(fmt.Sprintf(format, args...)))
}

// Note gives the caller a detail without a unit.
func (r *Run) Note(key string, value any) { r.detail(Detail{Name: key, Value: value}) }

// Measure gives the caller a detail in a power of the unit of the samples. Like [DetailsOf] and
// [SetDetails] it is a function because the methods of a run are also the methods of engine.Shared.
func Measure(r *Run, name string, unit Unit, value float64) { r.detail(Detail{name, value, unit}) }

// MeasureAll is [Measure] for a list of numbers.
func MeasureAll(r *Run, name string, unit Unit, values []float64) {
	r.detail(Detail{name, values, unit})
}

func (r *Run) detail(d Detail) { r.report.details = r.report.details.with(d) }

// Warnings returns the warnings so far.
func (r *Run) Warnings() []string { return r.report.warnings }

// Notes returns the details so far, in the form that callers get.
func (r *Run) Notes() map[string]any { return r.report.details.Map() }

// DetailsOf returns the details of a run so far.
func DetailsOf(r *Run) Details { return r.report.details }

// SetDetails replaces the details of a run.
func SetDetails(r *Run, d Details) { r.report.details = d }

// Adopt replaces the details of the run by those of a part.
func (r *Run) Adopt(part *Run) { r.report.details = slices.Clone(part.report.details) }
