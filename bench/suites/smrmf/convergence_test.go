package smrmf

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// Both sweeps, the passes and drawn exemplars on two small moons.
func TestCurvesOfSmallMoons(t *testing.T) {
	small := dataSet{key: "small", title: "small", n: 60, m: 2, classes: 2, shift: true, source: bench.Generated("two-moons", 60)}
	e := &bench.Env{}
	for _, title := range sweptMethods {
		for _, p := range sweeps {
			c := p.asCase(e, selection{small, methodTitled(title)})
			out, err := p.run(t.Context(), e, &c, selection{small, methodTitled(title)}, []string{middleLambda}, 2)
			if err != nil {
				t.Fatalf("%s, %s: %v", title, p.key, err)
			}
			acc := out.Series["acc"]
			if len(acc) != len(p.shares) || slices.Min(acc) < 0.5 || out.Quality["range"] != slices.Max(acc)-slices.Min(acc) {
				t.Errorf("%s, %s: %v, %v", title, p.key, acc, out.Quality)
			}
		}
	}
	for _, title := range convergingMethods {
		q := selection{small, methodTitled(title)}
		c := bench.Case{Name: convergenceName(small, title), Threads: 1}
		out, err := q.converge(t.Context(), e, &c)
		if err != nil {
			t.Fatalf("%s: %v", title, err)
		}
		// A point for the start and for each pass, and residuals that fall in the end.
		last := convergingPasses[len(convergingPasses)-1]
		indicators := out.Series["residual_indicators"]
		if len(out.Series["objective"]) != last+1 || len(indicators) != len(convergingPasses) || !(indicators[len(indicators)-1] < indicators[0]) || !(out.Quality["residual"] > 0) {
			t.Errorf("%s: %d points, residuals %v, %v", title, len(out.Series["objective"]), indicators, out.Quality)
		}
	}
	small.source, small.shift = bench.Source{}, false // as a real set: the mean over starts
	drawn := selection{small, methodTitled("DPP")}
	if starts := drawn.method.starts(e, small); starts != paperStarts {
		t.Errorf("%d runs of DPP, the paper has %d", starts, paperStarts)
	}
	if greedy := (selection{small, greedyDPP}); greedy.method.starts(e, small) != 1 {
		t.Error("the greedy set is chosen more than once")
	}
}
