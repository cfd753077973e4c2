package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/internal/must"
)

// Counts of three programmes: the Poisson likelihood of rank 3 predicts them best, and nmf finds the same components.
func ExampleCompareFactorizations() {
	p, err := datasets.GenerateProgrammes(200, 2, map[string]string{"programmes": "3", "dims": "30", "depth": "200"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var candidates []engine.FactorCandidate
	for _, rank := range []int{2, 3, 4} {
		candidates = append(candidates, engine.FactorCandidate{Method: engine.NMF{}, Rank: rank}, engine.FactorCandidate{Method: engine.NMFKL{}, Rank: rank})
	}
	found, err := engine.CompareFactorizations(context.Background(), p.Counts, candidates, engine.CompareFactorsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := found.Rows[found.Best]
	fmt.Println(best.Found.Method, best.Candidate.Rank)
	fmt.Printf("components of nmf, rank 3: cosine %.2f\n", found.Rows[2].Match)
	// Output:
	// nmf-kl 3
	// components of nmf, rank 3: cosine 1.00
}

// A row is the factorisation that the candidate has alone, and what is held out is the same for all, on any number of threads.
func TestComparedFactorizations(t *testing.T) {
	p := must.Get(datasets.GenerateProgrammes(60, 2, map[string]string{"programmes": "2", "dims": "12", "depth": "100"}))(t)
	candidates := []engine.FactorCandidate{
		{engine.NMF{}, 2}, {engine.NMFBeta{}, 2}, {engine.NMF{}, 13}, {engine.NMF{}, 2}}
	var hs []*mat.Dense
	o := engine.CompareFactorsOptions{Options: engine.Options{Seed: 3, Threads: 1}, HeldOut: 0.2, Masks: 2,
		Each: func(i int, r *engine.Factorization) error {
			if rows, _ := r.W.Dims(); rows != 60 || i == 2 {
				t.Errorf("candidate %d has %d rows", i, rows)
			}
			hs = append(hs, mat.DenseCopyOf(r.H))
			return nil
		}}
	one := must.Get(engine.CompareFactorizations(context.Background(), p.Counts, candidates, o))(t)
	alone := must.Get(engine.Factorize(context.Background(), p.Counts, engine.NMF{}, engine.FactorizeOptions{Options: o.Options, Rank: 2}))(t)
	if !mat.Equal(alone.H, hs[0]) || !mat.Equal(alone.H, one.Rows[0].Found.H) || len(hs) != 3 {
		t.Errorf("another factorisation than alone, of %d", len(hs))
	}
	if one.Rows[2].Err == nil || one.Rows[2].Found != nil {
		t.Errorf("rank 13 of 12 columns: %v", one.Rows[2].Err)
	}
	if a, b := one.Rows[0], one.Rows[3]; a.HeldOutError != b.HeldOutError || a.HeldOutDivergence != b.HeldOutDivergence || a.Match != b.Match {
		t.Errorf("the same candidate twice: %+v, %+v", a, b)
	}
	if best := one.Rows[one.Best]; best.HeldOutErrorSE != 0 || math.Abs(best.Match-1) > 1e-12 {
		t.Errorf("the best against itself: %+v", best)
	}
	o.Threads, o.Each = 2, nil
	two := must.Get(engine.CompareFactorizations(context.Background(), p.Counts, candidates, o))(t)
	if !slices.EqualFunc(one.Rows, two.Rows, func(a, b engine.ComparedFactors) bool {
		return math.Float64bits(a.HeldOutError) == math.Float64bits(b.HeldOutError) && math.Float64bits(a.HeldOutDivergence) == math.Float64bits(b.HeldOutDivergence) && math.Float64bits(a.HeldOutErrorSE) == math.Float64bits(b.HeldOutErrorSE)
	}) {
		t.Error("other bits on two threads")
	}
	// The divergence has the unit of the data, the error has none.
	var scaled mat.Dense
	scaled.Scale(0x1p200, p.Counts)
	large := must.Get(engine.CompareFactorizations(context.Background(), &scaled, candidates[:1], o))(t)
	dense := must.Get(engine.CompareFactorizations(context.Background(), mat.DenseCopyOf(p.Counts), candidates[:1], o))(t)
	if a, b := large.Rows[0], dense.Rows[0]; math.Abs(a.HeldOutError-b.HeldOutError) > 1e-12 || math.Abs(a.HeldOutDivergence/0x1p200-b.HeldOutDivergence) > 1e-12 {
		t.Errorf("of larger data %v, %v, want %v, %v", a.HeldOutError, a.HeldOutDivergence, b.HeldOutError, b.HeldOutDivergence*0x1p200)
	}
	for _, c := range []struct {
		list []engine.FactorCandidate
		o    engine.CompareFactorsOptions
		says string
	}{
		{nil, engine.CompareFactorsOptions{}, "no factorisations are given"},
		{[]engine.FactorCandidate{{nil, 2}}, engine.CompareFactorsOptions{}, "has no method"},
		{[]engine.FactorCandidate{{engine.GNMF{}, 2}}, engine.CompareFactorsOptions{}, "gnmf: factorisations are compared by"},
		{[]engine.FactorCandidate{{engine.NMF{}, 0}}, engine.CompareFactorsOptions{}, "rank 0"},
		{[]engine.FactorCandidate{{engine.NMF{LeastSquares: engine.LeastSquares{Solver: "minibatch"}}, 2}}, engine.CompareFactorsOptions{}, "sees all entries"},
		{candidates, engine.CompareFactorsOptions{HeldOut: 1}, "a share of 1"},
		{candidates, engine.CompareFactorsOptions{Masks: -1}, "-1 masks"},
		{candidates[2:3], engine.CompareFactorsOptions{}, "rank 13 for 60 × 12 data"},
	} {
		must.Refuse(t, c.says)(engine.CompareFactorizations(context.Background(), p.Counts, c.list, c.o))
	}
	must.Refuse(t, "no data")(engine.CompareFactorizations(context.Background(), nil, candidates, o))
}
