package complexity

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

// grown makes up records of all sweeps whose times grow by the stated orders and what is
// added to them. jitter moves every second size up by so much of it, and error is that of
// every case as a multiple of what is allowed.
func grown(added, jitter, error float64) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	for _, s := range sweeps() {
		for i, size := range s.sizes {
			seconds := 1e-6 * math.Pow(float64(size), s.stated()+added)
			if i%2 == 1 {
				seconds *= 1 + jitter
			}
			r.List = append(r.List, &bench.Record{
				Suite: r.Suite, Case: s.caseName(size), CPUSeconds: map[string]bench.Statistics{"total": {Median: seconds, Values: []float64{seconds}}},
				Accuracy: []bench.Accuracy{s.error}, Quality: map[string]bench.Statistics{s.error.Quality: {Median: error * *s.error.Limit}},
			})
		}
	}
	return r
}

// all expects the same verdict of every claim of a paper, and the other one of our own.
func all(paper, own bench.Verdict) map[string]bench.Verdict {
	want := map[string]bench.Verdict{}
	for _, o := range orders {
		if want[o.name] = paper; o.own() {
			want[o.name] = own
		}
	}
	return want
}

func TestVerdicts(t *testing.T) {
	// Cubic as the paper states it: its bounds hold, our target does not.
	benchtest.CheckFindings(t, &Suite, grown(0, 0, 0.5), all(bench.Reproduces, bench.TargetMissed))
	// One order lower: both do.
	benchtest.CheckFindings(t, &Suite, grown(-1, 0, 0.5), all(bench.Reproduces, bench.TargetReached))
	// Above the order by more than the slack.
	benchtest.CheckFindings(t, &Suite, grown(0.2, 0, 0.5), all(bench.DoesNot, bench.TargetMissed))
	// Below it, but by a fit that is not sure.
	benchtest.CheckFindings(t, &Suite, grown(-0.1, 2, 0.5), all(bench.PartlyHolds, bench.TargetMissed))
	// Fast and wrong.
	benchtest.CheckFindings(t, &Suite, grown(-1, 0, 2), all(bench.DoesNot, bench.TargetMissed))
	// Not run.
	benchtest.CheckFindings(t, &Suite, &bench.Records{Suite: Suite.Name}, all(bench.NotRun, bench.NotRun))
}

// TestLowerOrderIsSaid checks that a cost a whole order below the stated one is reported.
func TestLowerOrderIsSaid(t *testing.T) {
	for _, c := range []struct {
		added float64
		said  bool
	}{{0, false}, {-0.8, false}, {-1, true}} {
		for _, o := range orders {
			if o.own() {
				continue // of a lower order than the papers' already
			}
			if f := o.check(grown(c.added, 0, 0.5)); strings.Contains(f.Why, "lower order") != c.said {
				t.Errorf("%s, of %+g above the stated order: %q", o.name, c.added, f.Why)
			}
		}
	}
}

func TestQuickHasSizesEnough(t *testing.T) {
	e := &bench.Env{Quick: true}
	planned, _ := Suite.Planned(e)
	counts := map[string]int{}
	for _, c := range planned {
		key, _, _ := strings.Cut(c.Name, "/")
		counts[key]++
	}
	for _, s := range sweeps() {
		if counts[s.key] < minSizes {
			t.Errorf("%s has %d sizes in the quick version, want %d", s.key, counts[s.key], minSizes)
		}
		if s.stated() == 0 {
			t.Errorf("no claim is about %s", s.key)
		}
	}
	benchtest.CheckCases(t, &Suite)
	benchtest.CheckSections(t, &Suite, grown(0, 0, 0.5))
}

// TestStepsAreTheFormulas runs the smallest size of every sweep and holds its error to
// its limit: what is timed is what the papers write.
func TestStepsAreTheFormulas(t *testing.T) {
	for _, s := range sweeps() {
		size := s.sizes[0]
		out, err := s.run(context.Background(), size)
		if err != nil {
			t.Errorf("%s: %v", s.key, err)
			continue
		}
		v, measured := out.Quality[s.error.Quality]
		if !measured || !(v <= *s.error.Limit) {
			t.Errorf("%s: %s is %v, want at most %v", s.key, s.error.Quality, out.Quality, *s.error.Limit)
		}
		if !(out.CPUSeconds["total"] > 0) {
			t.Errorf("%s took %v", s.key, out.CPUSeconds)
		}
		t.Logf("%-16s %s=%d  %.3g s  %s %.1e", s.key, s.size, size, out.CPUSeconds["total"], s.error.Quality, v)
	}
}

// TestErrorsSeeWrongResults holds that the errors next to the times are large for results
// that are a little off.
func TestErrorsSeeWrongResults(t *testing.T) {
	d := []float64{0.3, 0.1, 0.4}
	z := []float64{0.2 / 1.5, 0.8, 0.1 / 1.5} // not the minimum
	if err := quadraticError(z, d); !(err > 1e-2) {
		t.Errorf("a point off the optimum has the error %g", err)
	}
	a := []float64{3, 0.5, 1, 0.5} // groups (3, 1) and (0.5, 0.5), ball of radius 1
	if err := ballError(a, []float64{1, 0}, 2, 1); err > 1e-12 {
		t.Errorf("the nearest point has the error %g", err)
	}
	if err := ballError(a, []float64{0.9, 0.1}, 2, 1); !(err > 1e-2) {
		t.Errorf("caps off the optimum have the error %g", err)
	}
	if err := orthonormality([]float64{1, 0, 0, 1, 0, 0.1}, 3, 2); math.Abs(err-0.01) > 1e-12 {
		t.Errorf("the distance from orthonormal columns is %g, want 0.01", err)
	}
}
