package neml

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
)

func TestCostClaims(t *testing.T) {
	with := func(work, seconds float64) *bench.Records {
		r := &bench.Records{}
		for _, x := range costs[:2] {
			for method, times := range map[string][2]float64{"lle": {1, 1}, "neml": {work, seconds}} {
				one := made(costName(x.name, method), map[string]float64{"work": times[0]})
				one.CPUSeconds["total"] = bench.Statistics{Median: times[1]}
				r.List = append(r.List, one)
			}
		}
		return r
	}
	for _, x := range []struct {
		name string
		r    *bench.Records
		want [2]bench.Verdict
	}{
		{"alike", with(1.1, 1.2), [2]bench.Verdict{bench.Reproduces, bench.Reproduces}},
		{"half as much more", with(1.5, 2), [2]bench.Verdict{bench.PartlyHolds, bench.PartlyHolds}},
		{"more", with(1.2, 3), [2]bench.Verdict{bench.Reproduces, bench.DoesNot}},
		{"much more", with(2.5, 1), [2]bench.Verdict{bench.DoesNot, bench.Reproduces}},
		{"not run", &bench.Records{}, [2]bench.Verdict{bench.NotRun, bench.NotRun}},
		{"failed", failed(&bench.Records{}, costName("roll", "neml")), [2]bench.Verdict{bench.CannotCheck, bench.CannotCheck}},
	} {
		for i, c := range costClaims {
			if f := c.Check(x.r); f.Verdict != x.want[i] {
				t.Errorf("%s: %s: %+v, want %s", x.name, c.Name, f, x.want[i])
			}
		}
	}
}
