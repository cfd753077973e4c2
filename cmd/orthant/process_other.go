//go:build !unix

package main

import (
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/memory"
)

// processUsage returns the largest resident size of this process so far in
// bytes, and its processor seconds, user and system; 0 where the system does not say.
func processUsage() (peakBytes int64, seconds float64) {
	return memory.Peak(), limits.ProcessorSeconds()
}

// writeErrorsForSignals has nothing to do here.
func writeErrorsForSignals() {}

// threadSeconds is not known here.
func threadSeconds() (seconds float64, known bool) { return 0, false }
