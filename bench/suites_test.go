package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine"
)

// TestCasesOfSuites checks what the harness and the report rely on, in every
// suite.
func TestCasesOfSuites(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Suites() {
		if s.Sections == nil {
			continue // made up for a test
		}
		if names[s.Name] || s.Name != strings.ToLower(s.Name) || s.Title == "" || s.About == "" {
			t.Errorf("suite %q: its name, title or text", s.Name)
		}
		names[s.Name] = true
		cases := map[string]bool{}
		for _, c := range s.Cases(&Env{}) {
			if cases[c.Name] || c.Name == "" || c.Run == nil {
				t.Errorf("%s: case %q is there twice, or has no name or nothing to run", s.Name, c.Name)
			}
			cases[c.Name] = true
			if _, err := json.Marshal(c.Params); err != nil {
				t.Errorf("%s %s: %v", s.Name, c.Name, err)
			}
		}
		claims := map[string]bool{}
		for _, c := range s.Claims {
			if claims[c.Name] || c.Statement == "" || c.Source == "" {
				t.Errorf("%s: claim %q is there twice or lacks a part", s.Name, c.Name)
			}
			claims[c.Name] = true
			// Without records nothing is claimed, and nothing panics.
			f := c.Check(&Records{Suite: s.Name})
			if f.Verdict != NotRun && f.Verdict != CannotCheck || f.Why == "" {
				t.Errorf("%s: claim %s of no records is %q because %q", s.Name, c.Name, f.Verdict, f.Why)
			}
		}
		s.Sections(&Records{Suite: s.Name})
	}
}

func TestExponent(t *testing.T) {
	var x, y []float64
	for _, n := range []float64{1000, 2000, 4000, 8000} {
		x, y = append(x, n), append(y, 3*math.Pow(n, 1.5))
	}
	y[0] = 7 // far off, and not among the last three
	if e, ok := exponent(x, y); !ok || math.Abs(e-1.5) > 1e-12 {
		t.Errorf("the exponent is %v, want 1.5", e)
	}
	y[2] = math.NaN()
	if _, ok := exponent(x[1:], y[1:]); ok {
		t.Error("an exponent of two points")
	}
}

// measuredAs makes a record of an outcome.
func measuredAs(suite string, c *Case, out *Outcome) *Record {
	r := &Record{Suite: suite, Case: c.Name, Samples: out.Samples, Note: out.Note, CPUSeconds: map[string]Statistics{}, Quality: map[string]Statistics{}, PeakBytes: out.PeakBytes}
	for name, v := range out.CPUSeconds {
		r.CPUSeconds[name] = Statistics{Median: v, Values: []float64{v}}
	}
	for name, v := range out.Quality {
		r.Quality[name] = Statistics{Median: v, Values: []float64{v}}
	}
	return r
}

func TestScalingSuite(t *testing.T) {
	records := &Records{Suite: "scaling"}
	for _, c := range scalingCases(&Env{}) {
		if !c.Fresh || c.Threads != 1 {
			t.Errorf("%s does not run in a process of its own on one thread", c.Name)
		}
		if c.N > 100000 && (!c.Full || c.Method == "lle" && len(c.Needs) == 0) {
			t.Errorf("%s is part of --quick, or needs no memory", c.Name)
		}
		if c.N != scalingFirst || c.Method != "lle" && c.Method != "pca" {
			continue
		}
		out, err := c.Run(context.Background(), &Env{}, &c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if out.Samples != scalingFirst || out.CPUSeconds["total"] < 0 || len(out.Seconds) == 0 {
			t.Errorf("%s: %+v", c.Name, out)
		}
		if c.Method == "lle" && !(out.Quality["fill"] > 0.5) { // the factor has the entries of half the matrix at least
			t.Errorf("%s: fill %v", c.Name, out.Quality)
		}
		records.List = append(records.List, measuredAs("scaling", &c, out))
	}
	sections := scalingSections(records)
	if len(sections) != 7 {
		t.Errorf("%d sections, want three of each set and the fill", len(sections))
	}
}

// grown makes up records of the surface whose time is N to the given power.
func grown(power float64, peak int64) *Records {
	r := &Records{Suite: "scaling"}
	for _, m := range engine.Methods() {
		method := m.Name
		for n := scalingFirst; n <= millionSamples; n *= 2 {
			cpu := math.Pow(float64(n), power)
			r.List = append(r.List, &Record{Suite: "scaling", Case: scalingName("surface", method, n), PeakBytes: peak,
				CPUSeconds: map[string]Statistics{"total": {Median: cpu}}})
		}
	}
	return r
}

func TestScalingClaims(t *testing.T) {
	for _, c := range []struct {
		power  float64
		peak   int64
		growth Verdict
		memory Verdict
	}{{1.05, 5 << 30, TargetReached, TargetReached}, {1.8, 7 << 30, TargetMissed, TargetMissed}, {1, 0, TargetReached, NotRun}} {
		r := grown(c.power, c.peak)
		if f := scalingClaims[0].Check(r); f.Verdict != c.growth || len(f.Cases) != exponentPoints {
			t.Errorf("N^%g: %+v", c.power, f)
		}
		if f := scalingClaims[1].Check(r); f.Verdict != c.memory {
			t.Errorf("%d bytes: %+v", c.peak, f)
		}
	}
}

func TestBackendsSuite(t *testing.T) {
	records := &Records{Suite: "backends"}
	run := 0
	for _, c := range backendsCases(&Env{}) {
		if c.Group == "" || c.Backend == "" || len(c.Needs) == 0 {
			t.Errorf("%s: group %q, backend %q, needs %v", c.Name, c.Group, c.Backend, c.Needs)
		}
		if c.Backend == "openblas" {
			records.List = append(records.List, &Record{Suite: "backends", Case: c.Name, Missing: "not in this build"})
			continue
		}
		if c.Backend != "native" || !strings.Contains(c.Name, "n=64/") {
			continue
		}
		out, err := c.Run(context.Background(), &Env{}, &c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if out.Quality["gflops"] <= 0 || !strings.Contains(out.Note, "computed by ") {
			t.Errorf("%s: %+v", c.Name, out)
		}
		run++
		records.List = append(records.List, measuredAs("backends", &c, out))
	}
	if run != 7 {
		t.Errorf("%d operations of order 64 were run, want 7", run)
	}
	if f := backendsClaims[0].Check(records); f.Verdict != CannotCheck || f.Why != "not in this build" {
		t.Errorf("without OpenBLAS: %+v", f)
	}
	table := backendsSections(records)[0].Table
	if got := table.Rows[0][4]; got.Text != "not at hand" || got.Mark != Absent || got.Case == "" {
		t.Errorf("the cell of what is missing: %+v", got)
	}
}

func TestBackendsClaims(t *testing.T) {
	for _, c := range []struct {
		ours, theirs float64
		want         Verdict
	}{{10, 10, TargetReached}, {5, 10, TargetMissed}} {
		r := &Records{Suite: "backends"}
		for _, op := range operations[:3] {
			for _, n := range op.sizes {
				for b, rate := range map[string]float64{"native": c.ours, "openblas": c.theirs} {
					r.List = append(r.List, &Record{Suite: "backends", Case: operationName(op.name, n, b), Quality: map[string]Statistics{"gflops": {Median: rate}}})
				}
			}
		}
		f := backendsClaims[0].Check(r)
		if f.Verdict != c.want || f.Ours != fmt.Sprintf("%.1f times openblas's rate", c.ours/c.theirs) || len(f.Cases) != 18 {
			t.Errorf("%v against %v: %+v", c.ours, c.theirs, f)
		}
	}
}
