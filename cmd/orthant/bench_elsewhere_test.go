//go:build !bench

package main

import (
	"strings"
	"testing"
)

// typedFor returns what is typed for this build.
func typedFor(args []string) []string { return args }

// The command that users have holds no suites, and says where they are.
func TestBenchSaysWhereItIs(t *testing.T) {
	if o := must(t, "bench"); !strings.Contains(o.out, "bin/orthant-bench") || strings.Count(o.out, "\n") != 1 {
		t.Errorf("it prints %q", o.out)
	}
	if o := orthant(t, "bench", "run", "timing", "--quick"); o.status != exitUsage || !strings.Contains(o.err, "type orthant-bench run timing --quick") {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	if o := must(t, "bench", "--help"); !strings.Contains(o.out, "make build-bench") {
		t.Errorf("its help is %q", o.out)
	}
}
