//go:build !unix

package main

// writeErrorsForSignals has nothing to do here.
func writeErrorsForSignals() {}
