package restarts

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// recorded is the record of a case that took these seconds and had this error.
func recorded(c bench.Case, seconds, quality float64) *bench.Record {
	s := bench.Statistics{Median: seconds, Values: []float64{seconds}}
	return &bench.Record{Suite: Suite.Name, Case: c.Name, Samples: c.N, Accuracy: c.Accuracy,
		Seconds: map[string]bench.Statistics{"total": s}, CPUSeconds: map[string]bench.Statistics{"total": s},
		Quality: map[string]bench.Statistics{"error": {Median: quality}}}
}

// A target is reached by the runs a minute, and only at an error as small as the other's.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		seconds, error float64
		want           bench.Verdict
	}{{1, 0.9, bench.TargetReached}, {1, 0.95, bench.TargetMissed}, {9, 0.9, bench.TargetMissed}} {
		r := &bench.Records{Suite: Suite.Name}
		for _, one := range Suite.Cases(&bench.Env{}) {
			seconds, quality := 3.0, 0.9
			if one.Params["runs"] == runsTogether {
				seconds, quality = c.seconds, c.error
			}
			r.List = append(r.List, recorded(one, seconds, quality))
		}
		for _, claim := range claims() {
			if f := claim.Check(r); f.Verdict != c.want {
				t.Errorf("%v: %s is %q (%s, %s)", c, claim.Name, f.Verdict, f.Ours, f.Why)
			}
		}
		if len(Suite.Sections(r)) == 0 {
			t.Error("there is no table")
		}
	}
}

// A published time is reached by the clock, and only at the error of as many iterations elsewhere.
func TestPublishedTimes(t *testing.T) {
	for _, c := range []struct {
		seconds, error float64
		want           map[string]bench.Verdict
	}{
		{20, 0.9, map[string]bench.Verdict{"cells-64": bench.TargetReached, "cells-64-wide": bench.TargetReached, "cells-20": bench.TargetReached, "cells-64-held-out": bench.TargetReached}},
		{30, 0.9, map[string]bench.Verdict{"cells-64": bench.TargetMissed, "cells-64-wide": bench.TargetMissed, "cells-20": bench.TargetReached, "cells-64-held-out": bench.TargetReached}},
		{20, 0.95, map[string]bench.Verdict{"cells-64": bench.TargetMissed, "cells-64-wide": bench.TargetMissed, "cells-20": bench.TargetMissed, "cells-64-held-out": bench.TargetMissed}},
	} {
		r := &bench.Records{Suite: Suite.Name}
		for _, one := range cellCases() {
			seconds, quality := c.seconds, c.error
			if one.Method != "nmf" {
				seconds, quality = 100, 0.9
			}
			r.List = append(r.List, recorded(one, seconds, quality))
		}
		for _, claim := range cellClaims() {
			if f := claim.Check(r); f.Verdict != c.want[claim.Name] {
				t.Errorf("%v: %s is %q (%s, %s)", c, claim.Name, f.Verdict, f.Ours, f.Why)
			}
		}
		for _, one := range r.List {
			one.Samples = 100
		}
		for _, claim := range cellClaims() {
			if f := claim.Check(r); f.Verdict != bench.CannotCheck {
				t.Errorf("%s of 100 cells is %q", claim.Name, f.Verdict)
			}
		}
		if len(cellsTable(r)) != 1 {
			t.Error("there is no table")
		}
	}
}
