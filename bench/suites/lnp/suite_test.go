package lnp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/internal/must"
)

// The claims whose data are drawn, but for times.
func TestLNPSuiteOnGeneratedData(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "four-points", "trefoil", "two-trefoils", "program/trefoil", "program/two-trefoils", "counts", "residuals", "sheet")
	benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{
		"four-points-lnp": bench.Reproduces, "four-points-lle": bench.DoesNot, "trefoil-convex": bench.PartlyHolds, "trefoil-dimension": bench.Reproduces,
		"trefoil-embedding": bench.PartlyHolds, "trefoil-nalac": bench.PartlyHolds, "trefoil-soft-nalac": bench.PartlyHolds,
		"two-trefoils": bench.PartlyHolds, "two-trefoils-others": bench.PartlyHolds, "sheet": bench.Reproduces,
		"trefoil-embedding-by-program": bench.PartlyHolds, "two-trefoils-by-program": bench.PartlyHolds, "duck-embedding-by-program": bench.NotRun,
		"complexity": bench.Reproduces, "complexity-constant": bench.Reproduces, "residuals": bench.Reproduces,
		"yale-b": bench.NotRun, "yale-b-embedding": bench.NotRun, "duck-dimension": bench.NotRun, "time/trefoil-110": bench.NotRun, "time-over-smce": bench.NotRun,
	})
	benchtest.CheckSections(t, &Suite, r)
	checkReference(t, r)
}

// checkReference compares figures with the figures of the reference programs, written
// independently of this one: to the digits that these printed.
func checkReference(t *testing.T, r *bench.Records) {
	t.Helper()
	near := func(name string, got float64, text string, tolerance float64) {
		var want float64
		must.Get(fmt.Sscan(text, &want))(t)
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: %.6f, the reference has %s", name, got, text)
		}
	}
	for i := range 4 {
		for j := range 4 {
			near("four points", r.Get("four-points/lnp").Series["weights"][4*i+j], pursuitColumns[i][j], 6e-7)
		}
	}
	for place, want := range fourEmbeddings {
		name, key, _ := strings.Cut(place, " ")
		for i, text := range want {
			near(place, r.Get(name).Series[key][i], text, 6e-4)
		}
	}
	for _, x := range clusterers {
		for k, text := range twoKnotReference[x.key] {
			got, found := valueAt(r, twoKnots.name(x), "misclassification", k)
			if !found {
				t.Errorf("%s: K = %d is not measured", x.key, k)
			}
			// k-means may put one sample of the 400 elsewhere, where a knot is cut.
			near(fmt.Sprintf("%s at K = %d", x.key, k), got, text, 0.0031)
		}
	}
	for _, k := range shownSizes {
		if ring, _ := valueAt(r, knot.name(byLNP), "ring", k); ring != 1 {
			t.Errorf("LNP, K = %d: ring %g", k, ring)
		}
	}
	for place, text := range sheetReference {
		var method string
		var k int
		fmt.Sscan(place, &method, &k)
		got, _ := r.Quality(sheetName(method, k), "dev")
		near(place, got, text, 0.006)
	}
}

// The duck and the two objects, where their files are.
func TestLNPSuiteOnRealData(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true, Data: golden.Data(t)}, "duck", "two-objects")
	benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{"duck-dimension": bench.Reproduces, "duck-embedding": bench.Reproduces, "duck-nalac": bench.Reproduces, "trefoil-nalac": bench.NotRun})
	benchtest.CheckSections(t, &Suite, r)
	for _, k := range shownSizes {
		if wrong, found := valueAt(r, twoObjects.name(byLNP), "misclassification", k); !found || wrong > 0.02 {
			t.Errorf("two objects, K = %d: misclassification %g (%v)", k, wrong, found)
		}
	}
}

// Times are measured, not judged, here.
func TestLNPTimes(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "time/trefoil-110/K=5/")
	benchtest.CheckSections(t, &Suite, r)
	for _, x := range timedMethods {
		name := timedSets[0].name(x, 5)
		part, _ := phaseSeconds(r, name, "representation")
		if whole, found := phaseSeconds(r, name, "total"); !found || !(whole > 0) || !(part > 0) {
			t.Errorf("%s: representation %g, whole %g", name, part, whole)
		}
	}
	for _, c := range pursuitTimeClaims[:2] {
		f := c.Check(r)
		if set, _, _ := strings.Cut(strings.TrimPrefix(c.Name, "time/"), "/"); set != timedSets[0].key {
			if f.Verdict != bench.NotRun {
				t.Errorf("%s: %+v", c.Name, f)
			}
		} else if f.Ours == "" || f.Verdict == bench.NotRun || len(f.Cases) != 5 {
			t.Errorf("%s: %+v", c.Name, f)
		}
	}
}

func TestSizes(t *testing.T) {
	all, quick := sizesUpTo(&bench.Env{}, 71), sizesUpTo(&bench.Env{Quick: true}, 71)
	if len(all) != 70 || all[0] != 2 || all[69] != 71 || len(quick) != 9 || quick[8] != 60 {
		t.Errorf("%v and %v", all, quick)
	}
	for _, k := range append(append([]int{}, knot.drawn...), duck.drawn...) {
		if rangesText([]float64{float64(k)}, []float64{2, 3, 5, 10, 20, 40, 60, 80}) == "" {
			t.Errorf("K = %d has a picture and is not part of the quick run", k)
		}
	}
	for want, some := range map[string][]float64{"": nil, "2": {2}, "2–5, 20": {2, 3, 5, 20}, "3, 20": {3, 20}} {
		if got := rangesText(some, []float64{2, 3, 5, 10, 20}); got != want {
			t.Errorf("%v: %q, want %q", some, got, want)
		}
	}
	for want, y := range map[float64][]float64{1: {3, 2, 1}, 0: {1, 3, 2}} {
		if monotone(y) != want {
			t.Errorf("%v: monotone %v", y, monotone(y))
		}
	}
}

// TestLNPTakesTheFacesOfAUser runs the cases of Extended Yale B on files in its form: what
// is in a claim's way is the file alone.
func TestLNPTakesTheFacesOfAUser(t *testing.T) {
	e := &bench.Env{Data: t.TempDir()}
	prefixes := []string{"yale-b/lnp", "yale-b/lle", "yale-b/le", "yale-b/smce", "yale-b-embedding/"}
	r := benchtest.RunCases(t, &Suite, e, prefixes...)
	for _, c := range faceClaims {
		if f := c.Check(r); f.Verdict != bench.CannotCheck || !strings.Contains(f.Why, "data yaleb32.X.npy is not at hand") {
			t.Errorf("%s without the file: %+v", c.Name, f)
		}
	}
	benchtest.WriteFaces(t, e.Data, "extended-yale-b", 38, 12)
	r = benchtest.RunCases(t, &Suite, e, prefixes...)
	for _, c := range faceClaims {
		f := c.Check(r)
		if f.Verdict == bench.CannotCheck || f.Verdict == bench.NotRun || f.Ours == "" {
			t.Errorf("%s with it: %+v", c.Name, f)
		}
	}
	benchtest.CheckSections(t, &Suite, r)
}

// Two squares, far apart and joined by nothing: the spectral step for weights
// with signs finds them.
func TestAbsoluteClusters(t *testing.T) {
	x := mat.NewDense(8, 2, []float64{0, 0, 9, 0, 1, 0, 10, 0, 0, 1, 9, 1, 1, 1, 10, 1})
	labels := must.Get(absoluteClusters(context.Background(), x, engine.LLE{Neighbors: 3}, 2, engine.Options{Threads: 1}))(t)
	if wrong, err := measures.Misclassification([]int64{0, 1, 0, 1, 0, 1, 0, 1}, labels); err != nil || wrong != 0 {
		t.Errorf("labels %v (%v)", labels, err)
	}
}

// Every statement names claims that exist or a reason, and every claim about the paper
// judges one of them.
func TestEveryStatementIsJudgedOrNamed(t *testing.T) {
	named := map[string]bool{}
	for _, one := range statements {
		if len(one.judged) == 0 && one.note == "" {
			t.Errorf("%s is neither judged nor explained", one.place)
		}
		for _, name := range one.judged {
			named[name] = true
			if !slices.ContainsFunc(Suite.Claims, func(c bench.Claim) bool { return c.Name == name }) {
				t.Errorf("%s: no claim %s", one.place, name)
			}
		}
	}
	for _, c := range Suite.Claims {
		if strings.HasPrefix(c.Source, papers.LNP) && !named[c.Name] {
			t.Errorf("the claim %s judges no statement that is listed", c.Name)
		}
	}
}
