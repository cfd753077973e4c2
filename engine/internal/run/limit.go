package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// overLimit is the error of work that would exceed the memory limit. The text has the marks of [wording].
type overLimit string

func (e overLimit) Error() string  { return wording.Text(string(e), wording.Go) }
func (e overLimit) Marked() string { return string(e) }

// IsMemory reports whether err means that work would exceed the memory limit, whether the engine
// or a solver refused it.
func IsMemory(err error) bool {
	_, bySolver := errors.AsType[*eigen.MemoryError](err)
	_, bySparse := errors.AsType[*sparse.MemoryError](err)
	_, byEngine := errors.AsType[overLimit](err)
	return bySolver || bySparse || byEngine
}

// peak is the peak memory of a run so far, shared by its parts.
type peak struct{ most atomic.Int64 }

// Holding returns the same run with more bytes held, by the caller or by earlier steps. The memory
// of a step is added to them.
func (r *Run) Holding(bytes int64) *Run {
	with := *r
	with.held += max(bytes, 0)
	return &with
}

// ProcessBytes returns the memory of the process while a step takes the given bytes on top of those held.
func (r *Run) ProcessBytes(step int64) int64 { return memory.Process(r.held + step) }

// Remaining returns the limit for a step that enforces a limit itself, in bytes: the limit of the run less
// the bytes held. 0: there is no limit.
func (r *Run) Remaining() int64 {
	if r.settings.Memory <= 0 {
		return 0
	}
	return max(memory.Live(r.settings.Memory)-r.held, 1)
}

// Exceeds reports whether a step of the given bytes, on top of those held, needs more than the limit.
// If not, the need is counted in the peak.
func (r *Run) Exceeds(step int64) bool {
	whole := r.ProcessBytes(step)
	if r.settings.Memory > 0 && whole > r.settings.Memory {
		return true
	}
	r.collectNear(whole)
	for most := &r.peak.most; ; {
		if before := most.Load(); whole <= before || most.CompareAndSwap(before, whole) {
			return false
		}
	}
}

// CollectGarbage collects garbage before a part of a step that takes the given bytes, if the limit is near.
func (r *Run) CollectGarbage(step int64) { r.collectNear(r.ProcessBytes(step)) }

// collectNear collects the garbage of earlier steps if the next step comes near the limit. Otherwise the
// runtime may hold both for a while.
func (r *Run) collectNear(whole int64) {
	const small = 48 << 20
	if limit := r.settings.Memory; limit > 0 && whole > max(limit/2, small) {
		runtime.GC()
	}
}

// PeakBytes returns the peak need of the process so far, in bytes.
func (r *Run) PeakBytes() int64 { return r.peak.most.Load() }

// Refusal returns a memory error for work outside a run.
func Refusal(format string, args ...any) error { return overLimit(fmt.Sprintf(format, args...)) }

// Refuse returns the error of work that would exceed the limit; the text follows the name of the
// method. All memory errors of the engine within a run are made here.
func (r *Run) Refuse(format string, args ...any) error {
	return overLimit(r.method + ": " + fmt.Sprintf(format, args...))
}

// Fit returns an error if a step of the given bytes, on top of those held, exceeds the limit.
// The message names what needs the memory and, after the limit, a remedy:
// "what needs about 3 GiB where the limit is 2 GiB; remedy".
func (r *Run) Fit(step int64, what, remedy string) error {
	if !r.Exceeds(step) {
		return nil
	}
	return r.tooMuch(step, what, remedy)
}

// tooMuch returns the error of [Run.Fit] for a step that is known not to fit.
func (r *Run) tooMuch(step int64, what, remedy string) error {
	return r.Refuse("%s about %s where the limit is %s; %s", what, limits.FormatBytes(r.ProcessBytes(step)), limits.FormatBytes(r.settings.Memory), remedy)
}

// reserved is the need from which it is worth a collection to have the heap in huge pages: without them, faults of small
// pages took up to a tenth of the processor time of LTSA.
const reserved = 8 << 20

// reserve has the heap in huge pages for a step of the given bytes, and for as much again of what a solve
// allocates in small slices, if there is room.
func (r *Run) reserve(step int64) {
	if step < reserved {
		return
	}
	room := memory.Available()
	if limit := r.Remaining(); limit > 0 {
		room = min(room, limit)
	}
	pages.Reserve(max(step, min(2*step, room)))
}

// FitBeforeSolve explains the memory needed before the solve on n × m data, and returns an error if
// it exceeds the limit.
func (r *Run) FitBeforeSolve(n, m int, step int64, remedy string) error {
	r.Explain("data: %d × %d; before the solve about %s", n, m, limits.FormatBytes(r.ProcessBytes(step)))
	if !r.Exceeds(step) {
		r.reserve(step)
		return nil
	}
	return r.Refuse("%d samples need about %s before the solve where the limit is %s; %s",
		n, limits.FormatBytes(r.ProcessBytes(step)), limits.FormatBytes(r.settings.Memory), remedy)
}

// WrapMemoryError rewords a memory error of an eigensolver for the method; other errors are returned unchanged.
func (r *Run) WrapMemoryError(err error) error {
	refused, is := errors.AsType[*eigen.MemoryError](err)
	if !is {
		return err
	}
	return r.tooMuch(refused.Need, "the eigensolver needs", "take fewer neighbours, embed landmarks and extend to the rest (‹landmarks=M›), or raise the limit")
}

// WrapSolverError rewords an error of a solver for the method.
func (r *Run) WrapSolverError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := wording.Keep(err)
	for _, solver := range []string{"nmf: ", "alm: ", "selective: ", "exemplars: "} {
		text = strings.TrimPrefix(text, solver)
	}
	return wording.Errorf("%s: %s", r.method, text)
}
