// Package tasks ends a process that may start too few threads with one line. Go's runtime would end it by a
// dump of some hundred lines as soon as the system refuses a thread. Whoever imports the package is checked. A control
// group that has no room for the runtime's first threads ends the process before any check.
package tasks

import (
	"fmt"
	"os"
	"runtime"

	"github.com/orthant-go/orthant/blas/limits"
)

// besides are the threads that the runtime starts in addition to those that compute: for its monitor, for signals, and
// for calls of the system that wait.
const besides = 6

// usage is the exit status of a wrong command line or environment.
const usage = 2

func init() {
	free, file, known := limits.Here().Tasks()
	if known && free < needed(runtime.GOMAXPROCS(0)) {
		fmt.Fprintf(os.Stderr, "orthant: the control group has room for %d more threads (%s), and the program needs %d: raise the limit\n", free, file, needed(runtime.GOMAXPROCS(0)))
		os.Exit(usage)
	}
}

// needed is the number of threads that a process may come to start.
func needed(procs int) int64 { return int64(procs) + besides }
