//go:build unix

package main

import (
	"os/signal"
	"runtime"
	"syscall"

	"github.com/orthant-go/orthant/engine/memory"
)

// processUsage returns the largest resident size of this process so far in
// bytes, and its processor seconds, user and system.
func processUsage() (peakBytes int64, seconds float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	peakBytes = int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peakBytes *= 1024 // counted in KiB everywhere else
	}
	if own := memory.Peak(); own > 0 {
		peakBytes = own
	}
	return peakBytes, float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}

// writeErrorsForSignals has a closed pipe and a file-size limit come back as
// errors of writing instead of killing the process with its temporary files.
func writeErrorsForSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }

// threadSeconds returns the processor seconds, user and system, of the operating system's thread that runs the caller, which Linux counts.
func threadSeconds() (seconds float64, known bool) {
	const ofThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if runtime.GOOS != "linux" || syscall.Getrusage(ofThread, &u) != nil {
		return 0, false
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9, true
}
