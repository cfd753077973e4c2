package bench

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
)

// runCases runs the cases of a suite whose names begin with one of the prefixes,
// as the runner would, and keeps what came out.
func runCases(t *testing.T, s *Suite, e *Env, prefixes ...string) *Records {
	t.Helper()
	r := &Records{Suite: s.Name}
	for _, c := range s.Cases(e) {
		if e.Quick && c.Full || !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(c.Name, p) }) {
			continue
		}
		record := &Record{Suite: s.Name, Case: c.Name, Quality: map[string]Statistics{}, Pictures: map[string]string{}}
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
			record.Quality[key] = Statistics{Median: v, Values: []float64{v}}
		}
		record.CPUSeconds, record.Series = map[string]Statistics{}, out.Series
		for phase, v := range out.CPUSeconds {
			record.CPUSeconds[phase] = Statistics{Median: v, Values: []float64{v}}
		}
		for name := range out.Pictures {
			record.Pictures[name] = name
		}
	}
	return r
}

// lacking says which data or method a case does without.
func lacking(e *Env, c *Case) string {
	for _, need := range c.Needs {
		kind, name, _ := strings.Cut(need, ":")
		switch kind {
		case "method":
			if _, err := engine.New(name); err != nil {
				return "method " + name + " is not built yet"
			}
		case "data":
			if _, err := os.Stat(filepath.Join(e.Data, name)); err != nil || e.Data == "" {
				return "data " + name + " is not at hand"
			}
		}
	}
	return ""
}

// The claims whose data are drawn hold in every build.
func TestNEMLSuiteOnGeneratedData(t *testing.T) {
	r := runCases(t, &nemlSuite, &Env{Quick: true}, "four-points", "weights", "roll-noise", "planar", "hole", "peak")
	want := map[string]Verdict{
		"four-points": Reproduces, "weights-sensitive": Reproduces, "planar": Reproduces,
		"hole-gamma-flat": Reproduces, "hole-lle-erratic": PartlyHolds, "hole-ltsa": Reproduces, "peak": Reproduces,
		"faces-values": CannotCheck, "hands": CannotCheck, "wdbc": NotRun, "20news-nn-neml": NotRun, "usps-below-lle": NotRun,
	}
	checkFindings(t, &nemlSuite, r, want)
	checkSections(t, &nemlSuite, r)
}

// Those about real data, as far as they take no more than seconds.
func TestNEMLSuiteOnRealData(t *testing.T) {
	e := &Env{Quick: true, Data: golden.Data(t)}
	prefixes := []string{"wdbc", "faces"}
	want := map[string]Verdict{"wdbc": Reproduces, "faces-order": Reproduces}
	if os.Getenv("ORTHANT_LONG") != "" {
		prefixes = append(prefixes, "20news", "usps")
		want["20news-order"], want["20news-nn-lle"], want["20news-nn-neml"], want["20news-nn-raw"], want["20news-nn-le"] = Reproduces, Reproduces, Reproduces, Reproduces, DoesNot
	}
	r := runCases(t, &nemlSuite, e, prefixes...)
	checkFindings(t, &nemlSuite, r, want)
	checkSections(t, &nemlSuite, r)
}

func checkFindings(t *testing.T, suite *Suite, r *Records, want map[string]Verdict) {
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
		if (f.Verdict == CannotCheck || f.Verdict == NotRun) && f.Why == "" {
			t.Errorf("%s: %s without a reason", c.Name, f.Verdict)
		}
		if f.Verdict == Reproduces && (f.Ours == "" || len(f.Cases) == 0) {
			t.Errorf("%s reproduces without a figure or a case", c.Name)
		}
		for _, name := range f.Cases {
			if f.Verdict != NotRun && f.Verdict != CannotCheck && r.Get(name) == nil {
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

// checkSections holds the report to its records: every number names a case that
// exists, and every picture one that draws it.
func checkSections(t *testing.T, suite *Suite, r *Records) {
	t.Helper()
	known := map[string]bool{}
	for _, quick := range []bool{true, false} {
		for _, c := range suite.Cases(&Env{Quick: quick}) {
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
					if cell.Case != "" && (!known[cell.Case] || cell.Mark != Absent && r.Get(cell.Case) == nil) {
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

func TestNEMLCasesAreDistinct(t *testing.T) {
	checkCases(t, &nemlSuite)
	if runtime.NumCPU() < classThreads {
		t.Logf("the classification cases ask for %d threads", classThreads)
	}
}

// checkCases holds that cases have names of their own and say what they run.
func checkCases(t *testing.T, suite *Suite) {
	t.Helper()
	for _, quick := range []bool{true, false} {
		seen := map[string]bool{}
		for _, c := range suite.Cases(&Env{Quick: quick}) {
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
