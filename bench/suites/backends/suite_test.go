package backends

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

func TestBackendsSuite(t *testing.T) {
	records := &bench.Records{Suite: "backends"}
	run := 0
	for _, c := range allCases(&bench.Env{}) {
		if c.Group == "" || c.Backend == "" || len(c.Needs) == 0 {
			t.Errorf("%s: group %q, backend %q, needs %v", c.Name, c.Group, c.Backend, c.Needs)
		}
		if c.Backend == "openblas" {
			records.List = append(records.List, &bench.Record{Suite: "backends", Case: c.Name, Missing: "not in this build"})
			continue
		}
		if c.Backend != "native" || !strings.Contains(c.Name, "n=64/") {
			continue
		}
		out, err := c.Run(context.Background(), &bench.Env{}, &c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if out.Quality["gflops"] <= 0 || !strings.Contains(out.Note, "computed by ") {
			t.Errorf("%s: %+v", c.Name, out)
		}
		run++
		records.List = append(records.List, benchtest.RecordOf("backends", &c, out))
	}
	if run != 7 {
		t.Errorf("%d operations of order 64 were run, want 7", run)
	}
	if f := claims[0].Check(records); f.Verdict != bench.CannotCheck || f.Why != "not in this build" {
		t.Errorf("without OpenBLAS: %+v", f)
	}
	table := sections(records)[0].Table
	if got := table.Rows[0][4]; got.Text != "not at hand" || got.Mark != bench.Absent || got.Case == "" {
		t.Errorf("the cell of what is missing: %+v", got)
	}
}

func TestBackendsClaims(t *testing.T) {
	for _, c := range []struct {
		ours, theirs float64
		want         bench.Verdict
	}{{10, 10, bench.TargetReached}, {5, 10, bench.TargetMissed}} {
		r := &bench.Records{Suite: "backends"}
		for _, op := range operations[:3] {
			for _, n := range op.sizes {
				for b, rate := range map[string]float64{"native": c.ours, "openblas": c.theirs} {
					r.List = append(r.List, &bench.Record{Suite: "backends", Case: operationName(op.name, n, b),
						Accuracy: []bench.Accuracy{bench.AtMost("residual", residualLimit)}, Quality: map[string]bench.Statistics{"gflops": {Median: rate}, "residual": {Median: 1e-15}}})
				}
			}
		}
		f := claims[0].Check(r)
		if f.Verdict != c.want || f.Ours != fmt.Sprintf("%.1f times openblas's rate, residuals of 1.0e-15 at most", c.ours/c.theirs) || len(f.Cases) != 18 {
			t.Errorf("%v against %v: %+v", c.ours, c.theirs, f)
		}
	}
}
