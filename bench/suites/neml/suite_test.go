package neml

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas/golden"
)

// The claims whose data are drawn hold in every build.
func TestNEMLSuiteOnGeneratedData(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "four-points", "weights", "roll-noise", "limits", "bounds", "planar", "hole", "peak")
	want := map[string]bench.Verdict{
		"four-points": bench.Reproduces, "weights-sensitive": bench.Reproduces,
		"weights-limits": bench.PartlyHolds, "weights-noise": bench.Reproduces, "planar-exact": bench.PartlyHolds, "peak-curvature": bench.Reproduces, "hole-neml-lle": bench.Reproduces,
		"bound-exact": bench.TargetReached, "bound-small": bench.TargetReached, "bound-residual": bench.Reproduces, "bound-condition": bench.Reproduces,
		"bound-angle": bench.Reproduces, "bound-angle-printed": bench.DoesNot, "cost-work": bench.NotRun, "usps-all": bench.NotRun,
		"hole-gamma-flat": bench.Reproduces, "hole-lle-erratic": bench.PartlyHolds, "hole-ltsa": bench.Reproduces, "peak": bench.Reproduces,
		"faces-values": bench.CannotCheck, "hands": bench.CannotCheck, "wdbc": bench.NotRun, "20news-nn-neml": bench.NotRun, "usps-below-lle": bench.NotRun,
	}
	benchtest.CheckFindings(t, &Suite, r, want)
	benchtest.CheckSections(t, &Suite, r)
}

// Those about real data, as far as they take no more than seconds.
func TestNEMLSuiteOnRealData(t *testing.T) {
	e := &bench.Env{Quick: true, Data: golden.Data(t)}
	prefixes := []string{"wdbc", "faces"}
	want := map[string]bench.Verdict{"wdbc": bench.Reproduces, "faces-order": bench.Reproduces}
	if os.Getenv("ORTHANT_LONG") != "" {
		prefixes = append(prefixes, "20news", "usps")
		want["20news-order"], want["20news-nn-lle"], want["20news-nn-neml"], want["20news-nn-raw"], want["20news-nn-le"] = bench.Reproduces, bench.Reproduces, bench.Reproduces, bench.Reproduces, bench.DoesNot
	}
	r := benchtest.RunCases(t, &Suite, e, prefixes...)
	benchtest.CheckFindings(t, &Suite, r, want)
	benchtest.CheckSections(t, &Suite, r)
}

func TestNEMLCasesAreDistinct(t *testing.T) {
	benchtest.CheckCases(t, &Suite)
	if runtime.NumCPU() < bench.LongCaseThreads {
		t.Logf("the classification cases ask for %d threads", bench.LongCaseThreads)
	}
}

// The list of the paper's statements names every claim on the paper once, and no other.
func TestInventoryIsWhole(t *testing.T) {
	var listed []string
	for _, item := range inventory {
		listed = append(listed, item.claims...)
		if len(item.claims) == 0 && item.said == "" {
			t.Errorf("%q is neither judged nor explained", item.what)
		}
	}
	for _, c := range Suite.Claims {
		count := 0
		for _, name := range listed {
			if name == c.Name {
				count++
			}
		}
		if of := strings.HasPrefix(c.Source, papers.NEML); of && count != 1 || !of && count > 0 {
			t.Errorf("%s of %s is listed %d times", c.Name, c.Source, count)
		}
	}
	for _, name := range listed {
		if !slices.ContainsFunc(Suite.Claims, func(c bench.Claim) bool { return c.Name == name }) {
			t.Errorf("there is no claim %s", name)
		}
	}
}
