//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// writeErrorsForSignals has a closed pipe and a file-size limit come back as
// errors of writing instead of killing the process with its temporary files.
func writeErrorsForSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
