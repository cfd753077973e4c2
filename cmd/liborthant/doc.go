// Liborthant is the engine as a C library, for programs in other languages:
//
//	go build -buildmode=c-shared -o liborthant.so ./cmd/liborthant    # or: make lib
//	go build -buildmode=c-archive -o liborthant.a ./cmd/liborthant
//
// Its interface is orthant.h, which is written by hand. shim.c and problems.c define the functions
// of that header, so that the C compiler reports a mismatch. They also refuse calls from forked
// processes before any Go code runs, and pass all others on to cmd/internal/library, by the name of the function and
// its arguments.
//
// docs/linking.md explains how to use it and the reasons for its design.
package main

import (
	"os"
	"runtime/debug"
)

// A C library needs a main package, whose main does nothing.
func main() {}

// The engine is the only user of this runtime's heap, which is collected as in the command.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
