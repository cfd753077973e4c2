//go:build !unix

package main

// processUsage is not known here.
func processUsage() (peakBytes int64, seconds float64) { return 0, 0 }

// writeErrorsForSignals has nothing to do here.
func writeErrorsForSignals() {}

// threadSeconds is not known here.
func threadSeconds() (seconds float64, known bool) { return 0, false }
