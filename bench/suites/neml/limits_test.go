package neml

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// The claims about w* and w₁ hold, hold in part and fail by the curves alone.
func TestLimitClaims(t *testing.T) {
	flat := func(v float64) []float64 { return slices.Repeat([]float64{v}, len(sweptGammas)) }
	with := func(exact, small, moved []float64) *bench.Records {
		one := made(limitsCase, nil)
		one.Series = map[string][]float64{limitKey("exact", 0): exact, limitKey("small", 0): small, "moved/exact": moved, "moved/small": moved}
		return &bench.Records{List: []*bench.Record{one}}
	}
	leaving := flat(0.5)
	leaving[0] = 1e-6
	between := flat(0.4)
	between[4] = 0.02
	for _, x := range []struct {
		name string
		r    *bench.Records
		want [2]bench.Verdict
	}{
		{"as the paper says", with(leaving, between, []float64{0, 0, 0.2, 1}), [2]bench.Verdict{bench.Reproduces, bench.Reproduces}},
		{"never near w₁", with(leaving, flat(0.4), []float64{0, 0, 0.2, 1}), [2]bench.Verdict{bench.PartlyHolds, bench.Reproduces}},
		{"not sensitive", with(flat(0.01), flat(0.01), []float64{0, 0, 0.01, 0.02}), [2]bench.Verdict{bench.DoesNot, bench.DoesNot}},
		{"not run", &bench.Records{}, [2]bench.Verdict{bench.NotRun, bench.NotRun}},
	} {
		for i, c := range limitClaims {
			if f := c.Check(x.r); f.Verdict != x.want[i] {
				t.Errorf("%s: %s: %+v, want %s", x.name, c.Name, f, x.want[i])
			}
		}
	}
}
