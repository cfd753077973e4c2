//go:build !linux

package main

// threadSeconds is not known here.
func threadSeconds() (seconds float64, known bool) { return 0, false }
