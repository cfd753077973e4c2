package starts

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/nmf"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// A start that takes ten iterations is compared by the objective that many iterations earlier.
func TestStartsCountTheirTime(t *testing.T) {
	falling := func() *trial {
		r := &nmf.Result{}
		for i := 0; i <= iterations; i += traceEvery {
			r.Trace = append(r.Trace, nmf.Point{Iteration: i, Objective: 1000 - float64(i)})
		}
		return &trial{result: r, start: 1, each: 0.5}
	}
	slow := falling()
	slow.start = 6
	got := map[string][]float64{}
	excesses(map[string][]*trial{random: {falling()}, nmf.NNDSVD: {slow}}, got)
	if cost := got[nmf.NNDSVD+" cost"][0]; cost != 10 {
		t.Errorf("the start costs %v iterations, not 10", cost)
	}
	for _, budget := range []int{20, 100, 200} {
		least := 1000.0 - iterations
		for start, behind := range map[string]float64{random: 0, nmf.NNDSVD: 10} {
			want := 100 * ((1000-float64(budget)+behind)/least - 1)
			if v := got[start+" "+excessAt(budget)][0]; math.Abs(v-want) > 1e-9 {
				t.Errorf("%s at %d iterations: %v, not %v", start, budget, v, want)
			}
		}
	}
}

// Separable samples are multiples of the components, and no entry of the law gamma is zero.
func TestMadeSets(t *testing.T) {
	d := must.Get(setNamed("separable-5").load(&bench.Env{}, 1))(t)
	for i := range 15 {
		if d.labels[i] != int64(i/3) {
			t.Fatalf("sample %d has the label %d", i, d.labels[i])
		}
	}
	for _, v := range must.Get(setNamed("gamma-5").load(&bench.Env{}, 1))(t).data.Dense {
		if !(v > 0) {
			t.Fatalf("an entry is %v", v)
		}
	}
}

// The table has a row for each start, with the excesses of the cases that ran.
func TestSections(t *testing.T) {
	r := &bench.Records{Suite: Suite.Name}
	for _, c := range Suite.Cases(&bench.Env{}) {
		if c.Group != "hals" {
			continue
		}
		q := map[string]bench.Statistics{}
		for i, start := range starts {
			for _, key := range append(excessKeys(), "cost", "ari", "cosine") {
				q[start+" "+key] = bench.Statistics{Median: float64(i)}
			}
		}
		r.List = append(r.List, &bench.Record{Suite: Suite.Name, Case: c.Name, Quality: q})
	}
	list := Suite.Sections(r)
	if len(list) != 1 || len(list[0].Table.Rows) != len(starts) {
		t.Fatalf("%d sections", len(list))
	}
	for i, row := range list[0].Table.Rows {
		if row[2].Text != cell(excessAt(20), []float64{float64(i)}).Text {
			t.Errorf("%s has the excess %s", row[0].Text, row[2].Text)
		}
	}
}
