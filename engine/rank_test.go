package engine

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// sumsOfParts are samples of some components, half of whose entries are zero, each entry times 1 ± a quarter.
func sumsOfParts(n, m, rank int, seed uint64) *mat.Dense {
	random := blas.NewStream(seed)
	draw := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		a.Apply(func(_, _ int, _ float64) float64 {
			if random.Uniform() < 0.5 {
				return 0
			}
			return random.Uniform()
		}, a)
		return a
	}
	x := mat.NewDense(n, m, nil)
	x.Mul(draw(n, rank), draw(rank, m))
	x.Apply(func(_, _ int, v float64) float64 { return v * (0.75 + 0.5*random.Uniform()) }, x)
	return x
}

// The rank auto is the one that FindRank finds, and the factors are those of this rank; in any unit, dense, sparse, shifted or
// with entries missing, and whatever serves the last fit alone.
func TestFactorizeWithRankAuto(t *testing.T) {
	x := sumsOfParts(90, 50, 4, 1)
	huge, below, holes := mat.NewDense(90, 50, nil), mat.NewDense(90, 50, nil), mat.DenseCopyOf(x)
	huge.Scale(math.Ldexp(1, 400), x)
	below.Apply(func(_, _ int, v float64) float64 { return v - 1 }, x)
	for at := 0; at < 90*50; at += 7 {
		holes.Set(at/50, at%50, math.NaN())
	}
	few := Updates{Iterations: 20}
	plain := must(FindRank(t.Context(), x, NMF{Updates: few}, FindRankOptions{Options: Options{Seed: 2}}))(t)
	if plain.Rank != 4 || plain.Best != 4 || plain.Sparing != 4 || plain.AtEnd || plain.Masks != 3 || plain.HeldOut != 0.1 {
		t.Fatalf("%+v", plain)
	}
	at := slices.IndexFunc(plain.Ranks, func(r RankError) bool { return r.Rank == 4 })
	if next := plain.Ranks[at-1]; next.Rank != 3 || !(next.Behind > 2*next.BehindError) || !(next.BehindError > 0) || plain.Ranks[at].Behind != 0 || math.Abs(next.Mean-next.Behind-plain.Ranks[at].Mean) > 1e-12*next.Mean {
		t.Errorf("%+v", plain.Ranks)
	}
	for name, c := range map[string]struct {
		x      mat.Matrix
		method Method
	}{
		"dense":   {x, NMF{Updates: few}},
		"huge":    {huge, NMF{Updates: few}},
		"sparse":  {compressedOf(t, x), NMF{Updates: few}},
		"shifted": {below, NMF{Updates: Updates{Iterations: 20, Shift: "global"}}},
		"missing": {holes, NMF{Updates: few, MissingEntries: MissingEntries{Missing: "weight"}}},
		"start":   {x, NMF{Updates: few, Start: Start{Init: "nndsvd"}, LeastSquares: LeastSquares{Solver: "hals"}, Extrapolate: true}},
		"batches": {x, NMF{Updates: few, LeastSquares: LeastSquares{Solver: "minibatch"}}},
	} {
		r := must(Factorize(t.Context(), c.x, c.method, FactorizeOptions{Options: Options{Seed: 2}, Rank: Auto, RankSearch: RankSearch{Most: 12}}))(t)
		// Shifted by the least entry, the samples have one component more.
		if want := 4; r.Rank != want && !(name == "shifted" && r.Rank == want+1) {
			t.Errorf("%s: rank %d, want %d", name, r.Rank, want)
		}
		if _, cols := r.W.Dims(); cols != r.Rank || r.RankFound == nil || r.RankFound.Rank != r.Rank || !(r.Seconds["rank"] > 0) {
			t.Errorf("%s: W has %d columns for rank %d, found as %+v", name, cols, r.Rank, r.RankFound)
		}
		alone := must(Factorize(t.Context(), c.x, c.method, FactorizeOptions{Options: Options{Seed: 2}, Rank: r.Rank}))(t)
		if !mat.Equal(alone.W, r.W) || !mat.Equal(alone.H, r.H) {
			t.Errorf("%s: the factors are not those of rank %d", name, r.Rank)
		}
		if name == "dense" || name == "huge" {
			unit := math.Ldexp(1, map[string]int{"dense": 0, "huge": -800}[name])
			if e := r.RankFound.Ranks[0]; math.Abs(e.Mean*unit-plain.Ranks[0].Mean) > 1e-12*plain.Ranks[0].Mean || e.StandardError*unit > e.Mean*unit {
				t.Errorf("%s: rank 1 has the loss %v, want %v", name, e.Mean*unit, plain.Ranks[0].Mean)
			}
		}
	}
}

// What cannot be searched is refused, with what to do.
func TestFindRankRefused(t *testing.T) {
	x := sumsOfParts(20, 10, 2, 1)
	r := refusing(t)
	with := func(s RankSearch) FindRankOptions { return FindRankOptions{RankSearch: s} }
	r.of("", failed(FindRank(t.Context(), x, CIMNMF{}, FindRankOptions{})))
	r.of("", failed(FindRank(t.Context(), x, NMFBeta{Loss: "huber"}, FindRankOptions{})))
	r.of("", failed(FindRank(t.Context(), x, NMF{}, with(RankSearch{HeldOut: 1}))))
	r.of("", failed(FindRank(t.Context(), x, NMF{}, with(RankSearch{Masks: 1}))))
	r.of("", failed(FindRank(t.Context(), x, NMF{}, with(RankSearch{Least: 3, Most: 2}))))
	r.of("", failed(FindRank(t.Context(), x, NMF{}, with(RankSearch{Most: 11}))))
	r.of("", failed(FindRank(t.Context(), x.Slice(0, 20, 0, 1), NMF{}, FindRankOptions{})))
	r.of("", failed(FindRank(t.Context(), x.Slice(0, 2, 0, 2), NMF{}, with(RankSearch{HeldOut: 1e-9}))))
	r.of("", failed(FindRank(t.Context(), x, NMF{FixedFactor: FixedFactor{Fixed: "h"}}, FindRankOptions{})))
	r.of("", failed(FindRank(t.Context(), x, NMF{}, FindRankOptions{Options: Options{Memory: 1 << 20}})))
	r.of("", failed(Factorize(t.Context(), x, NMF{}, FactorizeOptions{Rank: Auto, InitH: mat.NewDense(2, 10, nil)})))
	r.of("", failed(Factorize(t.Context(), x, GNMF{}, FactorizeOptions{Rank: Auto})))
}
