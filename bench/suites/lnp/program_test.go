package lnp

import (
	"context"
	"reflect"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

func TestCut(t *testing.T) {
	got := cut([][]weighted{{{1, 0.04}, {2, -0.9}, {3, 0.06}}, {{4, 1}, {0, 1}}})
	if want := [][]weighted{{{2, -0.9}, {3, 0.06}}, {{0, 1}, {4, 1}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// With its two neighbours alone a knot is opened by every method of the program, for the
// greater part at least.
func TestProgramEmbedding(t *testing.T) {
	s := must.Get(bench.GeneratedSet("trefoil", 110, 1, map[string]string{"noise": "0"})(&bench.Env{}))(t)
	for _, x := range programs {
		y := must.Get(programEmbedding(context.Background(), s.X, x, 2, engine.Options{Threads: 1}))(t)
		if share, err := ringShare(context.Background(), y); err != nil || share < 0.5 {
			t.Errorf("%s: ring %v (%v)", x.name, share, err)
		}
	}
}

func TestRingByProgram(t *testing.T) {
	for _, c := range []struct {
		printed, others float64
		want            bench.Verdict
	}{{1, 0.9, bench.Reproduces}, {1, 1, bench.PartlyHolds}, {0.9, 0.8, bench.DoesNot}} {
		r := &bench.Records{Suite: "lnp"}
		for _, x := range programs {
			v := c.others
			if x.key == byPrinted.key {
				v = c.printed
			}
			r.List = append(r.List, &bench.Record{Suite: "lnp", Case: knot.program(x), Series: map[string][]float64{"K": {2, 3}, "ring": {1, v}}})
		}
		if f := programClaims[0].Check(r); f.Verdict != c.want || f.Ours == "" {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

func TestKnotsByProgram(t *testing.T) {
	for want, wrong := range map[bench.Verdict][]float64{bench.Reproduces: {0, 0.005}, bench.PartlyHolds: {0, 0.3}, bench.DoesNot: {0.2, 0.3}} {
		r := &bench.Records{Suite: "lnp"}
		for _, x := range programs {
			series := map[string][]float64{"K": {2, 3}, "misclassification": {0, 0}}
			if x.key == byPrinted.key {
				series["misclassification"] = wrong
			}
			r.List = append(r.List, &bench.Record{Suite: "lnp", Case: twoKnots.program(x), Series: series})
		}
		if f := knotsByProgram.Check(r); f.Verdict != want || f.Ours == "" || (f.Why == "") != (want == bench.Reproduces) {
			t.Errorf("%s: %+v", want, f)
		}
	}
}
