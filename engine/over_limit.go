package engine

import (
	"errors"
	"fmt"

	"github.com/orthant-go/orthant/solvers"
)

// overLimit is the error of work that needs more than Options.Memory.
type overLimit string

func (e overLimit) Error() string { return string(e) }

// beyond refuses work that needs more than the limit, in the given words.
func beyond(format string, args ...any) error { return overLimit(fmt.Sprintf(format, args...)) }

// IsMemory tells whether an error is the refusal of work beyond Options.Memory, by
// the engine or by the solver that it leaves the rest to.
func IsMemory(err error) bool {
	_, bySolver := errors.AsType[*solvers.MemoryError](err)
	_, byEngine := errors.AsType[overLimit](err)
	return bySolver || byEngine
}
