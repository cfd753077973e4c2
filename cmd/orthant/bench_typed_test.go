//go:build bench

package main

import (
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// typedFor returns what is typed for this build, of which "bench" names the program itself and
// any other command is one that users have. What this program types to itself stays.
func typedFor(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "bench":
		return args[1:]
	case len(args) > 0 && slices.Contains([]string{bench.UsersCommand, "case"}, args[0]):
		return args
	}
	return append([]string{bench.UsersCommand}, args...)
}

// withSuites: the suites are in this build.
const withSuites = true
