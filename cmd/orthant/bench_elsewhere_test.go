//go:build !bench

package main

// typedFor returns what is typed for this build.
func typedFor(args []string) []string { return args }

// withSuites: the suites are in this build.
const withSuites = false
