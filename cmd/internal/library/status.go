package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/orthant-go/orthant/engine"
)

// status is an orthant_status.
type status int32

// The values of orthant.h; the C compiler compares them (shim.c).
const (
	statusOK           status = 0
	statusInvalid      status = 1
	statusCanceled     status = 2
	statusNotConverged status = 3
	statusNoMemory     status = 5
	statusInternal     status = 6
	statusBusy         status = 7
	statusFailed       status = 8
	statusNotDefinite  status = 9
)

// failure is an error with a fixed status, whatever it wraps.
type failure struct {
	status status
	text   string
}

func (f *failure) Error() string { return f.text }

// statusOf classifies an error. All other errors are about the input: the engine fails for no other
// reason.
func statusOf(err error) status {
	if err == nil {
		return statusOK
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f.status
	}
	if errors.Is(err, context.Canceled) {
		return statusCanceled
	}
	if engine.IsMemory(err) {
		return statusNoMemory
	}
	return statusInvalid
}

// caught turns a panic into an error; call it with defer.
func caught(err *error) {
	p := recover()
	if p == nil {
		return
	}
	text := fmt.Sprintf("internal error: %v (please report it; ORTHANT_DEBUG=1 shows where)", p)
	if os.Getenv("ORTHANT_DEBUG") == "1" {
		text += "\n" + string(debug.Stack())
	}
	*err = &failure{statusInternal, text}
}
