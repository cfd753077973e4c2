package rnpa

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// A change within rounding is no rise; the letter of (5) has nm(1 − c) besides what the
// engine returns.
func TestDescentCountsRises(t *testing.T) {
	const entries = 1e6
	trace := []nmf.Point{
		{Objective: 10, Surrogate: 4, Sigma2: 1},
		{Iteration: 1, Objective: 10 * (1 + 1e-10), Surrogate: 5, HeldBefore: 3, Held: 3 * (1 + 1e-11), Sigma2: 1},
		{Iteration: 2, Objective: 10.5, Surrogate: 4, HeldBefore: 3, Held: 2, Sigma2: 0.5},
		{Iteration: 3, Objective: 9, Regularizer: 6, Surrogate: 4, HeldBefore: 3, Held: 3.1, Sigma2: 0.5},
	}
	for _, d := range []descent{{"1", false}, {"1", true}} {
		out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}}
		d.measure(out, trace, entries)
		want := map[string]float64{"rises-objective": 1, "rises-surrogate": 1, "rises-held": 1, "iterations": 3, "scaling-lowers": 0.5, "rounding": 2e6 * 0x1p-53}
		if d.constant { // nm(1 − c) falls by far more
			want["rises-objective"] = 0
			delete(want, "scaling-lowers")
			if got, at := out.Series["objective"][2], 10.5+entries*(1-1/math.Sqrt(math.Pi)); math.Abs(got-at) > 1e-9*entries {
				t.Errorf("(5) is %v, want %v", got, at)
			}
		}
		for key, v := range want {
			if out.Quality[key] != v {
				t.Errorf("%s (%+v): %v, want %v", key, d, out.Quality[key], v)
			}
		}
	}
}

// One reading of (5) that falls is a part.
func TestTheoremInPart(t *testing.T) {
	r := robustRecords(func(name string, quality map[string]float64) {
		if name == (descent{"100", false}).name() {
			quality["rises-objective"] = 44
		}
	})
	benchtest.CheckFindings(t, &Suite, r, map[string]bench.Verdict{"theorem-1": bench.PartlyHolds, "theorem-1-weights": bench.Reproduces})
}
