package factor

import (
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/solvers/nmf"
)

func TestJudge(t *testing.T) {
	trace := func(first, last, term float64) []nmf.Point {
		return []nmf.Point{{Objective: first, Surrogate: first}, {Iteration: 50, Objective: last, Surrogate: last, Regularizer: term}}
	}
	for name, c := range map[string]struct {
		trace            []nmf.Point
		converged, graph bool
		want             []string
	}{
		"sound":                {trace(31, 20, 0), false, false, nil},
		"with a graph":         {trace(31, 20, 0.1), false, true, nil},
		"rises":                {trace(31, 133, 0), true, false, []string{"rises from 31 to 133"}},
		"as it was":            {trace(31, 31, 0), false, false, []string{"50 iterations do not improve the start"}},
		"begun at its end":     {trace(31, 31, 0), true, false, nil},
		"a graph without use":  {trace(31, 20, 1e-7), false, true, []string{"has no effect: its term is 5e-09"}},
		"a small term of none": {trace(31, 20, 1e-7), false, false, nil},
		"both":                 {trace(31, 40, 1e-7), false, true, []string{"rises from 31 to 40", "has no effect"}},
	} {
		j := judge(c.trace, 0.5, c.converged, c.graph)
		if (j.Verdict == "") != (c.want == nil) {
			t.Errorf("%s: %q", name, j.Verdict)
		}
		for _, want := range c.want {
			if !strings.Contains(j.Verdict, want) {
				t.Errorf("%s: %q, want %q", name, j.Verdict, want)
			}
		}
	}
	for relative, want := range map[float64]bool{0.9: true, 0.9985: true, 0.9991: false, 84.9: false, math.Inf(1): false} {
		if j := judge(trace(40, 10, 0), relative, false, false); (j.Verdict == "") != want || !want && !strings.Contains(j.Verdict, "zeros would be about as near") {
			t.Errorf("an error of %v ‖X‖: %q", relative, j.Verdict)
		}
	}
	// Of correntropy the surrogate is what falls: the objective is that of another σ² in the end.
	narrowed := []nmf.Point{{Objective: 20, Surrogate: 40, Sigma2: 1}, {Iteration: 9, Objective: 30, Surrogate: 15, Sigma2: 0.25}}
	if j := judge(narrowed, 0.5, false, false); j.Verdict != "" || j.Improvement != 0.625 {
		t.Errorf("%+v", j)
	}
	if j := judge(trace(40, 10, 1), 0.5, false, true); j.Improvement != 0.75 || j.GraphShare != 0.1 {
		t.Errorf("%+v", j)
	}
}
