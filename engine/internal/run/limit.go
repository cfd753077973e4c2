package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/solvers"
)

// overLimit is the error of work that needs more than the limit of memory.
type overLimit string

func (e overLimit) Error() string { return string(e) }

// IsMemory tells whether an error is the refusal of work beyond the limit of memory,
// by the engine or by the solver that it leaves the rest to.
func IsMemory(err error) bool {
	_, bySolver := errors.AsType[*solvers.MemoryError](err)
	_, byEngine := errors.AsType[overLimit](err)
	return bySolver || byEngine
}

// Refusal is the error of something other than work that needs more than the limit.
func Refusal(format string, args ...any) error { return overLimit(fmt.Sprintf(format, args...)) }

// Exceeds tells whether so many bytes are more than the limit.
func (r *Run) Exceeds(need int64) bool { return r.settings.Memory > 0 && need > r.settings.Memory }

// Refuse refuses work that needs more than the limit, in the given words, which
// follow the method's name. Every refusal of memory by the engine is made here.
func (r *Run) Refuse(format string, args ...any) error {
	return overLimit(r.method + ": " + fmt.Sprintf(format, args...))
}

// Fit refuses a part of the work that needs more bytes than the limit. The words name
// what needs them and, behind the limit, what helps:
// "what needs about 3 GiB where the limit is 2 GiB; mend".
func (r *Run) Fit(need int64, what, mend string) error {
	if !r.Exceeds(need) {
		return nil
	}
	return r.Refuse("%s about %s where the limit is %s; %s", what, solvers.FormatBytes(need), solvers.FormatBytes(r.settings.Memory), mend)
}

// FitBeforeSolve refuses work on n × m data that needs more than the limit before the
// solve, and explains the need.
func (r *Run) FitBeforeSolve(n, m int, need int64, mend string) error {
	r.Explain("data: %d × %d; before the solve about %s", n, m, solvers.FormatBytes(need))
	if !r.Exceeds(need) {
		return nil
	}
	return r.Refuse("%d samples need about %s before the solve where the limit is %s; %s",
		n, solvers.FormatBytes(need), solvers.FormatBytes(r.settings.Memory), mend)
}

// Solver words an error of a solver for the method.
func (r *Run) Solver(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	for _, solver := range []string{"nmf: ", "alm: ", "selective: ", "exemplars: "} {
		text = strings.TrimPrefix(text, solver)
	}
	return fmt.Errorf("%s: %s", r.method, text)
}
