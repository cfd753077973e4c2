package lnp

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// Each sample of a line lies between its two neighbours: with the second the residual is 0.
func TestResidualsOf(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 4})
	g := &neighbors.Graph{Ptr: []int{0, 1, 3, 4}, Index: []int32{1, 0, 2, 1}, Weight: []float64{1, 0.75, 0.25, 1}}
	for i, want := range []float64{1, 0, 3} {
		if got := residualsOf(x, g)[i]; got != want {
			t.Errorf("sample %d: %v, want %v", i, got, want)
		}
	}
}

func TestResidualSteps(t *testing.T) {
	s := must.Get(bench.GeneratedSet("trefoil", 110, 1, nil)(&bench.Env{}))(t)
	steps, rises, worst, err := residualSteps(context.Background(), s.X, engine.Options{Threads: 1})
	if err != nil || steps < 110 || rises != 0 || !(worst < 1) {
		t.Errorf("%d steps, %d rises, at worst %v (%v)", steps, rises, worst, err)
	}
}

func TestResidualClaim(t *testing.T) {
	records := func(rises func(q countedSet) float64) *bench.Records {
		r := &bench.Records{Suite: "lnp"}
		for _, q := range countedSets {
			c := bench.Case{Name: q.residualName()}
			r.List = append(r.List, benchtest.RecordOf("lnp", &c, &bench.Outcome{Quality: map[string]float64{"steps": 200, "rises": rises(q), "worst-ratio": 0.9}}))
		}
		return r
	}
	for want, rises := range map[bench.Verdict]func(q countedSet) float64{
		bench.Reproduces: func(countedSet) float64 { return 0 },
		bench.DoesNot:    func(countedSet) float64 { return 1 },
		bench.PartlyHolds: func(q countedSet) float64 {
			if q.key == "duck" {
				return 3
			}
			return 0
		},
	} {
		if f := residualClaims[0].Check(records(rises)); f.Verdict != want || f.Ours == "" {
			t.Errorf("%+v, want %s", f, want)
		}
	}
}
