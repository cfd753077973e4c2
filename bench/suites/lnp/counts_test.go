package lnp

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

// countsOf makes records of candidates examined, for each of a bound of 1.
func countsOf(examined func(q countedSet, k float64) float64) *bench.Records {
	r := &bench.Records{Suite: "lnp"}
	for _, q := range countedSets {
		series := map[string][]float64{}
		for _, k := range q.sizes() {
			series["K"], series["bound"] = append(series["K"], float64(k)), append(series["bound"], 1)
			series["examined"] = append(series["examined"], examined(q, float64(k)))
		}
		r.List = append(r.List, &bench.Record{Suite: "lnp", Case: q.name(), Series: series})
	}
	return r
}

func TestCountClaims(t *testing.T) {
	for _, c := range []struct {
		examined         func(q countedSet, k float64) float64
		growth, constant bench.Verdict
	}{
		{func(countedSet, float64) float64 { return 1.5 }, bench.Reproduces, bench.Reproduces},
		{func(countedSet, float64) float64 { return 2.5 }, bench.Reproduces, bench.DoesNot},
		{func(_ countedSet, k float64) float64 { return 3 * math.Sqrt(k) }, bench.DoesNot, bench.DoesNot},
		{func(q countedSet, k float64) float64 {
			if q.key == "sheet" {
				return k
			}
			return 1
		}, bench.PartlyHolds, bench.PartlyHolds},
		{func(_ countedSet, k float64) float64 { return 1 / k }, bench.Reproduces, bench.Reproduces},
	} {
		r := countsOf(c.examined)
		for i, want := range []bench.Verdict{c.growth, c.constant} {
			f := countClaims[i].Check(r)
			if f.Verdict != want || len(f.Cases) != len(countedSets) || (f.Why == "") != (want == bench.Reproduces) {
				t.Errorf("%s: %+v, want %s", countClaims[i].Name, f, want)
			}
		}
	}
	if f := countClaims[0].Check(&bench.Records{}); f.Verdict != bench.NotRun || strings.Contains(f.Why, "duck") {
		t.Errorf("without records: %+v", f)
	}
}

// The counts of a case are of the data: at K = 8 no more than K − 1 a round.
func TestCountsAreMeasured(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "counts/trefoil")
	_, examined := byK(r, "counts/trefoil", "examined")
	_, selected := byK(r, "counts/trefoil", "selected")
	sizes, ratios := countedSets[0].perBound(r)
	if len(sizes) != 4 || len(ratios) != 4 {
		t.Fatalf("counted at %v", sizes)
	}
	for i, k := range sizes {
		if examined[i] < k-selected[i] || examined[i] > selected[i]*(k-1) {
			t.Errorf("K = %v: %v examined for %v selected", k, examined[i], selected[i])
		}
	}
	benchtest.CheckSections(t, &Suite, r)
}
