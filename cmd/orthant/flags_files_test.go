package main

import (
	"io"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// Every flag that names a file says whether it is read or written: batches go by
// it.
func TestFlagsOfFilesSayWhatTheyAreFor(t *testing.T) {
	inv := newInvocation(streams{out: io.Discard, err: io.Discard})
	var known []string
	for _, c := range subcommands() {
		cmd, count := c.make(inv), 0
		known = append(known, cmd.Name())
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			placeholder, _ := pflag.UnquoteUsage(f)
			names := placeholder == "FILE" || placeholder == "DIR"
			if said := isRead(f) || isWritten(f); said != names {
				t.Errorf("%s --%s %s: annotated as a file %t (see reads and writes)", cmd.Name(), f.Name, placeholder, said)
			}
			if names {
				count++
			}
		})
		if count == 0 {
			t.Errorf("%s names no file", cmd.Name())
		}
	}
	known = append(known, "compare") // it runs a batch itself
	for _, cmd := range newRoot(inv).Commands() {
		if cmd.Flags().Lookup("in") != nil && !slices.Contains(known, cmd.Name()) {
			t.Errorf("%s works with data but is not among the subcommands that a batch runs", cmd.Name())
		}
	}
}
