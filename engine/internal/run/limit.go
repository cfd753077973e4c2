package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// overLimit is the error of work that needs more than the limit of memory, with its marks.
type overLimit string

func (e overLimit) Error() string  { return wording.Text(string(e), wording.Go) }
func (e overLimit) Marked() string { return string(e) }

// IsMemory reports whether an error is the refusal of work beyond the limit of memory,
// by the engine or by the solver that it leaves the rest to.
func IsMemory(err error) bool {
	_, bySolver := errors.AsType[*eigen.MemoryError](err)
	_, bySparse := errors.AsType[*sparse.MemoryError](err)
	_, byEngine := errors.AsType[overLimit](err)
	return bySolver || bySparse || byEngine
}

// reckoned is the memory of a run: the largest need so far, shared by its parts.
type reckoned struct{ most atomic.Int64 }

// Holding is the same run while this many bytes more are held: by the steps before, or
// by the caller. The memory of a step comes on top of them.
func (r *Run) Holding(bytes int64) *Run {
	with := *r
	with.held += max(bytes, 0)
	return &with
}

// Whole is what the process takes at a peak at which a step takes this many bytes on top of
// what is held.
func (r *Run) Whole(step int64) int64 { return memory.Process(r.held + step) }

// Left is the limit for a step that keeps one of its own, in bytes: what the limit
// leaves on top of what is held; 0: there is no limit.
func (r *Run) Left() int64 {
	if r.settings.Memory <= 0 {
		return 0
	}
	return max(memory.Live(r.settings.Memory)-r.held, 1)
}

// Exceeds reports whether a step that takes this many bytes, on top of what is held, needs
// more than the limit. What fits is reckoned with.
func (r *Run) Exceeds(step int64) bool {
	whole := r.Whole(step)
	if r.settings.Memory > 0 && whole > r.settings.Memory {
		return true
	}
	r.settle(whole)
	for most := &r.reckoned.most; ; {
		if before := most.Load(); whole <= before || most.CompareAndSwap(before, whole) {
			return false
		}
	}
}

// Settle prepares for a part of a step that takes this many bytes, where the limit is near.
func (r *Run) Settle(step int64) { r.settle(r.Whole(step)) }

// settle collects what earlier steps have left where the step ahead comes near the limit:
// the runtime may otherwise hold both for a while.
func (r *Run) settle(whole int64) {
	const small = 48 << 20
	if limit := r.settings.Memory; limit > 0 && whole > max(limit/2, small) {
		runtime.GC()
	}
}

// Reckoned is the largest need of the process that was reckoned with, in bytes.
func (r *Run) Reckoned() int64 { return r.reckoned.most.Load() }

// Refusal is the error of something other than work that needs more than the limit.
func Refusal(format string, args ...any) error { return overLimit(fmt.Sprintf(format, args...)) }

// Refuse refuses work that needs more than the limit, in the given words, which
// follow the method's name. Every refusal of memory by the engine is made here.
func (r *Run) Refuse(format string, args ...any) error {
	return overLimit(r.method + ": " + fmt.Sprintf(format, args...))
}

// Fit refuses a step that takes more bytes, on top of what is held, than the limit leaves.
// The words name what needs them and, behind the limit, what helps:
// "what needs about 3 GiB where the limit is 2 GiB; mend".
func (r *Run) Fit(step int64, what, mend string) error {
	if !r.Exceeds(step) {
		return nil
	}
	return r.tooMuch(step, what, mend)
}

// tooMuch refuses a step that is known not to fit, in the words of [Run.Fit].
func (r *Run) tooMuch(step int64, what, mend string) error {
	return r.Refuse("%s about %s where the limit is %s; %s", what, limits.FormatBytes(r.Whole(step)), limits.FormatBytes(r.settings.Memory), mend)
}

// FitBeforeSolve refuses work on n × m data that needs more than the limit before the
// solve, and explains the need.
func (r *Run) FitBeforeSolve(n, m int, step int64, mend string) error {
	r.Explain("data: %d × %d; before the solve about %s", n, m, limits.FormatBytes(r.Whole(step)))
	if !r.Exceeds(step) {
		return nil
	}
	return r.Refuse("%d samples need about %s before the solve where the limit is %s; %s",
		n, limits.FormatBytes(r.Whole(step)), limits.FormatBytes(r.settings.Memory), mend)
}

// Room words the refusal of an eigensolver for the method; other errors stay as they are.
func (r *Run) Room(err error) error {
	refused, is := errors.AsType[*eigen.MemoryError](err)
	if !is {
		return err
	}
	return r.tooMuch(refused.Need, "the eigensolver needs", "take fewer neighbours, embed landmarks and extend to the rest (‹landmarks=M›), or raise the limit")
}

// Solver words an error of a solver for the method.
func (r *Run) Solver(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := wording.Keep(err)
	for _, solver := range []string{"nmf: ", "alm: ", "selective: ", "exemplars: "} {
		text = strings.TrimPrefix(text, solver)
	}
	return wording.Errorf("%s: %s", r.method, text)
}
