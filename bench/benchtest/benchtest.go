// Package benchtest holds suites of benchmarks to what the harness and the report rely on:
// cases, findings and sections, from records that a test measured or made up.
package benchtest

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
)

// RecordOf makes a record of one outcome of a case.
func RecordOf(suite string, c *bench.Case, out *bench.Outcome) *bench.Record {
	r := &bench.Record{Suite: suite, Case: c.Name, Samples: out.Samples, Note: out.Note, CPUSeconds: map[string]bench.Statistics{}, Quality: map[string]bench.Statistics{}, PeakBytes: out.PeakBytes}
	for name, v := range out.CPUSeconds {
		r.CPUSeconds[name] = bench.Statistics{Median: v, Values: []float64{v}}
	}
	for name, v := range out.Quality {
		r.Quality[name] = bench.Statistics{Median: v, Values: []float64{v}}
	}
	return r
}

// RunCases runs the cases of a suite whose names begin with one of the prefixes,
// as the runner would, and keeps what came out.
func RunCases(t *testing.T, s *bench.Suite, e *bench.Env, prefixes ...string) *bench.Records {
	t.Helper()
	r := &bench.Records{Suite: s.Name}
	for _, c := range s.Cases(e) {
		if e.Quick && c.Full || !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(c.Name, p) }) {
			continue
		}
		record := &bench.Record{Suite: s.Name, Case: c.Name, Accuracy: c.Accuracy, Quality: map[string]bench.Statistics{}, Pictures: map[string]string{}}
		r.List = append(r.List, record)
		if what := lacking(e, &c); what != "" {
			record.Missing = what
			continue
		}
		start := time.Now()
		out, err := c.Run(context.Background(), e, &c)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			record.Error = err.Error()
			continue
		}
		t.Logf("%-40s %6.2f s  %v", c.Name, time.Since(start).Seconds(), out.Quality)
		for key, v := range out.Quality {
			record.Quality[key] = bench.Statistics{Median: v, Values: []float64{v}}
		}
		record.CPUSeconds, record.Series = map[string]bench.Statistics{}, out.Series
		for phase, v := range out.CPUSeconds {
			record.CPUSeconds[phase] = bench.Statistics{Median: v, Values: []float64{v}}
		}
		for name := range out.Pictures {
			record.Pictures[name] = name
		}
	}
	return r
}

// lacking says which data or method a case does without.
func lacking(e *bench.Env, c *bench.Case) string {
	for _, need := range c.Needs {
		kind, name, _ := strings.Cut(need, ":")
		switch kind {
		case "method":
			if _, err := engine.New(name); err != nil {
				return "method " + name + " is not built yet"
			}
		case "data":
			if _, err := os.Stat(bench.DataFile(e.Data, name)); err != nil || e.Data == "" {
				return "data " + name + " is not at hand"
			}
		}
	}
	return ""
}

func CheckFindings(t *testing.T, suite *bench.Suite, r *bench.Records, want map[string]bench.Verdict) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range suite.Claims {
		f := c.Check(r)
		t.Logf("%-20s %-20s %s (%s)", c.Name, f.Verdict, f.Ours, f.Why)
		if seen[c.Name] {
			t.Errorf("two claims are named %s", c.Name)
		}
		seen[c.Name] = true
		if v, known := want[c.Name]; known && f.Verdict != v {
			t.Errorf("%s: %s, want %s", c.Name, f.Verdict, v)
		}
		if (f.Verdict == bench.CannotCheck || f.Verdict == bench.NotRun) && f.Why == "" {
			t.Errorf("%s: %s without a reason", c.Name, f.Verdict)
		}
		if f.Verdict == bench.Reproduces && (f.Ours == "" || len(f.Cases) == 0) {
			t.Errorf("%s reproduces without a figure or a case", c.Name)
		}
		for _, name := range f.Cases {
			if f.Verdict != bench.NotRun && f.Verdict != bench.CannotCheck && r.Get(name) == nil {
				t.Errorf("%s rests on the case %s, which did not run", c.Name, name)
			}
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("no claim %s", name)
		}
	}
}

// CheckSections holds the report to its records: every number names a case that
// exists, and every picture one that draws it.
func CheckSections(t *testing.T, suite *bench.Suite, r *bench.Records) {
	t.Helper()
	known := map[string]bool{}
	for _, quick := range []bool{true, false} {
		for _, c := range suite.Cases(&bench.Env{Quick: quick}) {
			known[c.Name] = true
		}
	}
	for _, s := range suite.Sections(r) {
		if s.Table != nil {
			for _, row := range s.Table.Rows {
				if len(row) > len(s.Table.Columns) {
					t.Errorf("%s: %d cells under %d headings", s.Title, len(row), len(s.Table.Columns))
				}
				for _, cell := range row {
					if cell.Case != "" && (!known[cell.Case] || cell.Mark != bench.Absent && r.Get(cell.Case) == nil) {
						t.Errorf("%s: %q from the case %s", s.Title, cell.Text, cell.Case)
					}
				}
			}
		}
		for _, f := range s.Pictures {
			if one := r.Get(f.Case); !known[f.Case] || one != nil && one.Pictures[f.Picture] == "" {
				t.Errorf("%s: no picture %s of %s", s.Title, f.Picture, f.Case)
			}
		}
		if s.Plot != nil {
			for _, c := range s.Plot.Curves {
				if len(c.X) != len(c.Y) {
					t.Errorf("%s: curve %s of %d and %d numbers", s.Title, c.Name, len(c.X), len(c.Y))
				}
			}
		}
	}
}

// CheckCases holds that cases have names of their own and say what they run.
func CheckCases(t *testing.T, suite *bench.Suite) {
	t.Helper()
	for _, quick := range []bool{true, false} {
		seen := map[string]bool{}
		for _, c := range suite.Cases(&bench.Env{Quick: quick}) {
			if seen[c.Name] {
				t.Errorf("two cases are named %s", c.Name)
			}
			seen[c.Name] = true
			if c.Run == nil || c.Method == "" || c.Data == "" || len(c.Params) == 0 {
				t.Errorf("%s is not whole", c.Name)
			}
		}
	}
}
