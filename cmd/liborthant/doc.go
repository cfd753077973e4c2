// Liborthant is the engine as a C library, for programs in other languages:
//
//	go build -buildmode=c-shared -o liborthant.so ./cmd/liborthant    # or: make lib
//	go build -buildmode=c-archive -o liborthant.a ./cmd/liborthant
//
// Its interface is orthant.h, which is written by hand; shim.c and problems.c define the functions
// of that header, so that a drift between the two is an error of the C compiler, and
// turn away forked processes before anything of Go is entered. exports.go and
// exports_problems.go are all that knows C types; what is behind them (task.go, result.go,
// parameters.go, matrix.go, handles.go, status.go) is plain Go and tested as such.
//
// docs/linking.md explains how to use it and why it is made so.
package main

import (
	"os"
	"runtime/debug"
)

// A C library has a main package, and nothing to do there.
func main() {}

// The heap of this runtime is the engine's alone, and is collected as the command's is.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
