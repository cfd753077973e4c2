package lnp

import (
	"context"
	"math"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/internal/must"
)

// Data that are their own embedding have no rank error and all neighbours.
func TestCitedMeasures(t *testing.T) {
	s := must.Get(datasets.Generate("trefoil", 110, 1, nil))(t)
	got := must.Get(citedMeasures(context.Background(), s.X, s.X, engine.Options{Threads: 1}))(t)
	for key, want := range map[string]float64{"mrre": 0, "mrre-of-data": 0, "lcmc": 1 - 10.0/109} {
		if v, found := got[key]; !found || math.Abs(v-want) > 1e-15 {
			t.Errorf("%s is %v, want %v", key, v, want)
		}
	}
	if _, err := citedMeasures(context.Background(), s.X, s.X, engine.Options{Backend: "abacus"}); err == nil {
		t.Error("an unknown backend is not an error")
	}
}

// A curve's records have them at every K.
func TestCitedSection(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "trefoil/lnp")
	for _, kind := range citedKeys {
		if sizes, values := byK(r, knot.name(byLNP), kind.key); len(sizes) == 0 || len(values) != len(sizes) {
			t.Errorf("%s at %v", kind.key, sizes)
		}
	}
	if s := knot.citedSection(r, "The trefoil", knotSizes); len(s.Table.Rows) != len(citedKeys)*len(embedders) || len(s.Plot.Curves) != 2 {
		t.Errorf("%d rows, %d curves", len(s.Table.Rows), len(s.Plot.Curves))
	}
}
