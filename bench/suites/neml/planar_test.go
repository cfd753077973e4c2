package neml

import (
	"context"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

func TestExactClaim(t *testing.T) {
	with := func(first, second, neml []float64) *bench.Records {
		one := made(exactCase, nil)
		one.Series = map[string][]float64{"lle, least norm": first, "lle, another set": second, "neml": neml, "seed": neml}
		return &bench.Records{List: []*bench.Record{one}}
	}
	for _, x := range []struct {
		name string
		r    *bench.Records
		want bench.Verdict
	}{
		{"half fail", with([]float64{0.3, 1e-12}, []float64{1e-12, 1e-12}, []float64{1e-8, 1e-8}), bench.Reproduces},
		{"few fail", with([]float64{0.3, 0, 0}, []float64{0, 0, 0}, []float64{1e-8, 1e-8, 1e-8}), bench.PartlyHolds},
		{"NEML is not perfect", with([]float64{0.3, 0.3}, []float64{0, 0}, []float64{1e-8, 0.3}), bench.PartlyHolds},
		{"none fails", with([]float64{0, 0}, []float64{0, 0}, []float64{1e-8, 1e-8}), bench.DoesNot},
		{"no draw", with(nil, nil, nil), bench.DoesNot},
		{"not run", &bench.Records{}, bench.NotRun},
		{"failed", failed(&bench.Records{}, exactCase), bench.CannotCheck},
	} {
		if f := exactClaims[0].Check(x.r); f.Verdict != x.want {
			t.Errorf("%s: %+v, want %s", x.name, f, x.want)
		}
	}
}

// Both sets of weights are exact, and differ.
func TestExactWeights(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		s := must.Get(planarSample(seed))(t)
		g := must.Get(bench.NearestNeighbors(context.Background(), s.X, exactNeighbors))(t)
		first, second := exactWeights(s.X, g, nil), exactWeights(s.X, g, blas.NewStream(1))
		if r := max(residualOf(s.X, first, g), residualOf(s.X, second, g)); r > 1e-13 {
			t.Errorf("seed %d: a residual of %v", seed, r)
		}
		if d := medianDistance(first, second); d < 0.1 || d > 1 {
			t.Errorf("seed %d: the sets are %v apart", seed, d)
		}
		for i := range g.Len() {
			if sum := total(second.RawRowView(i)); sum < 1-1e-12 || sum > 1+1e-12 {
				t.Errorf("seed %d: the weights of point %d sum to %v", seed, i, sum)
			}
		}
	}
}
