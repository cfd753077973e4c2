package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/sparse"
)

// runsOf makes runs, which it returns with their factors, by rank and run.
func runsOf(t *testing.T, x mat.Matrix, m Method, o RunsOptions) (*FactorRuns, []*FactorRun) {
	t.Helper()
	list := []*FactorRun{}
	o.Each = func(r *FactorRun) error { list = append(list, r); return nil }
	all, err := FactorizeRuns(context.Background(), x, m, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	slices.SortFunc(list, func(a, b *FactorRun) int { return 1000*(a.Rank-b.Rank) + a.Run - b.Run })
	return all, list
}

// A run of many is the factorisation with its rank and seed: of data that are dense, sparse,
// negative in part, or of a size beyond the ordinary.
func TestRunsAreFactorizations(t *testing.T) {
	x, _ := groups(90, 17)
	small, negative := mat.NewDense(90, 17, nil), mat.NewDense(90, 17, nil)
	small.Scale(1e-120, x)
	negative.Apply(func(_, j int, v float64) float64 { return v - 0.2*float64(j%2) }, x)
	csr := compressedOf(t, x)
	for _, c := range []struct {
		name   string
		x      mat.Matrix
		method Method
		tol    float64
	}{
		{"dense", x, NMF{Updates: Updates{Iterations: 20}}, 0},
		{"sparse", csr, NMF{Updates: Updates{Iterations: 20}}, 0},
		{"hals", csr, NMF{LeastSquares: LeastSquares{Solver: "hals"}, Updates: Updates{Iterations: 20}}, 0},
		{"shifted", negative, NMF{Updates: Updates{Iterations: 20, Shift: "columns"}}, 0},
		{"small", small, NMF{Updates: Updates{Iterations: 20}}, 0},
		{"kl", csr, NMFKL{Updates: Updates{Iterations: 20}}, 1e-9},
		{"cim-nmf", x, CIMNMF{Updates: Updates{Iterations: 10}}, 0},
	} {
		all, runs := runsOf(t, c.x, c.method, RunsOptions{Options: Options{Seed: 7, Backend: "native"}, Ranks: []int{2, 5}, Runs: 3})
		if len(runs) != 6 || len(all.Runs) != 6 {
			t.Fatalf("%s: %d runs, %d listed; want 6", c.name, len(runs), len(all.Runs))
		}
		for i, r := range runs {
			want := factorized(t, c.x, c.method, FactorizeOptions{Options: Options{Seed: 7 + uint64(r.Run), Backend: "native"}, Rank: r.Rank})
			if r.Seed != 7+uint64(r.Run) || all.Runs[i].Rank != r.Rank || all.Runs[i].RelativeError != r.RelativeError || all.Runs[i].W != nil {
				t.Errorf("%s: listed as %+v, given as rank %d, run %d, seed %d", c.name, all.Runs[i], r.Rank, r.Run, r.Seed)
			}
			if r.Iterations != want.Iterations || math.Abs(r.RelativeError-want.RelativeError) > 1e-9 {
				t.Errorf("%s: %d iterations, error %v; want %d, %v", c.name, r.Iterations, r.RelativeError, want.Iterations, want.RelativeError)
			}
			for _, p := range [][2]*mat.Dense{{r.W, want.W}, {r.H, want.H}} {
				if c.tol == 0 && !sameEntries(p[0], p[1]) || !mat.EqualApprox(p[0], p[1], c.tol*(1+mat.Max(p[1]))) {
					t.Errorf("%s: rank %d, run %d: factors differ from those alone", c.name, r.Rank, r.Run)
				}
			}
		}
	}
}

func TestRunsSkipWhatWasMade(t *testing.T) {
	x, _ := groups(40, 9)
	skip := func(rank, run int) bool { return rank == 2 && run < 2 }
	_, runs := runsOf(t, x, NMF{Updates: Updates{Iterations: 5}}, RunsOptions{Ranks: []int{2, 3}, Runs: 3, Skip: skip})
	if len(runs) != 4 || runs[0].Run != 2 {
		t.Errorf("%d runs, the first %+v", len(runs), runs[0])
	}
}

func TestRunsRefuseBadInput(t *testing.T) {
	x, _ := groups(40, 9)
	negative := mat.DenseCopyOf(x)
	negative.Set(3, 4, -1)
	r := refusing(t)
	r.of("rank", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{2, 10}, Runs: 1})))
	r.of("rank 0", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{0}, Runs: 1})))
	r.of("twice", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{2, 2}, Runs: 1})))
	r.of("none", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Runs: 1})))
	r.of("runs", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{2}})))
	r.of("negative", failed(FactorizeRuns(t.Context(), negative, NMF{}, RunsOptions{Ranks: []int{2}, Runs: 2})))
	r.of("graph", failed(FactorizeRuns(t.Context(), x, GNMF{}, RunsOptions{Ranks: []int{2}, Runs: 2})))
	r.of("memory", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Options: Options{Memory: 1 << 10}, Ranks: []int{2}, Runs: 2})))
	full := errors.New("full")
	_, err := FactorizeRuns(context.Background(), x, NMF{}, RunsOptions{Ranks: []int{2}, Runs: 2, Each: func(*FactorRun) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("an error of Each is lost: %v", err)
	}
}

func ExampleFactorizeRuns() {
	p, err := datasets.GenerateProgrammes(300, 1, map[string]string{"programmes": "4", "dims": "60", "depth": "200"})
	if err != nil {
		fmt.Println(err)
		return
	}
	const rank, runs = 4, 10
	spectra := mat.NewDense(runs*rank, 60, nil) // the components of all runs
	_, err = FactorizeRuns(context.Background(), p.Counts, NMF{Updates: Updates{Iterations: 100}}, RunsOptions{
		Ranks: []int{rank}, Runs: runs,
		Each: func(r *FactorRun) error {
			spectra.Slice(r.Run*rank, (r.Run+1)*rank, 0, 60).(*mat.Dense).Copy(r.H)
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := FindConsensus(context.Background(), p.Counts, spectra, rank, ConsensusOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d components kept, stable: %t\n", c.Kept, c.Components, c.Stability > 0.8)
	// Output: 40 of 40 components kept, stable: true
}

// noisy are nonnegative data of a rank with noise of a share of each entry: factors with zeros
// for half of their entries, as of parts. Noise that were cut off at zero would add a rank.
func noisy(n, m, rank int, noise float64, seed uint64) *mat.Dense {
	random := blas.NewStream(seed)
	part := func(rows, cols int) *mat.Dense {
		a := mat.NewDense(rows, cols, nil)
		a.Apply(func(_, _ int, _ float64) float64 {
			if random.Below(2) == 0 {
				return 0
			}
			return random.Uniform()
		}, a)
		return a
	}
	x := mat.NewDense(n, m, nil)
	x.Mul(part(n, rank), part(rank, m))
	x.Apply(func(_, _ int, v float64) float64 {
		return v * (1 + noise*(2*random.Uniform()-1))
	}, x)
	return x
}

// The rank of generated data is found by held-out entries, for several ranks, seeds and
// methods, of dense and sparse data.
func TestRankIsFoundByHeldOutEntries(t *testing.T) {
	hals := NMF{LeastSquares: LeastSquares{Solver: "hals"}, Updates: Updates{Iterations: 60}}
	for _, rank := range []int{2, 4, 6} {
		for seed := range uint64(4) {
			x := noisy(100, 60, rank, 0.5, 10*seed+uint64(rank))
			for name, c := range map[string]struct {
				x      mat.Matrix
				method Method
			}{"dense": {x, hals}, "sparse": {compressedOf(t, x), hals}, "kl": {x, NMFKL{Updates: Updates{Iterations: 100}}}} {
				if name == "kl" && seed > 1 {
					continue
				}
				r := must(FactorizeRuns(context.Background(), c.x, c.method, RunsOptions{Options: Options{Seed: seed + 1}, Ranks: []int{1, 2, 3, 4, 5, 6, 7}, Runs: 3, HeldOut: 0.1}))(t)
				choice := must(ChooseRank(r.Runs))(t)
				if choice.Sparing != rank {
					t.Errorf("%s, seed %d: rank %d is found (least error at %d), the data have %d: %s", name, seed, choice.Sparing, choice.Best, rank, ranksText(choice))
				}
			}
		}
	}
}

func ranksText(c *RankChoice) string {
	var b strings.Builder
	for _, r := range c.Ranks {
		fmt.Fprintf(&b, " %d: %.5g±%.2g", r.Rank, r.Mean, r.StandardError)
	}
	return b.String()
}

// Runs that saw all entries say nothing of the rank.
func TestChooseRankOfRunsThatSawAll(t *testing.T) {
	for _, bad := range [][]FactorRun{nil, {{Rank: 1}}} {
		if _, err := ChooseRank(bad); err == nil {
			t.Error("runs without held-out entries are compared")
		}
	}
}

// Held-out runs are the same for any number of threads and whatever is skipped, follow the
// unit of the data, and see nothing of the entries that they are measured by.
func TestHeldOutRuns(t *testing.T) {
	x := noisy(60, 40, 3, 0.1, 3)
	method := NMF{Updates: Updates{Iterations: 30}}
	o := RunsOptions{Options: Options{Seed: 3, Threads: 1}, Ranks: []int{2, 3}, Runs: 3, HeldOut: 0.2}
	all, _ := runsOf(t, x, method, o)
	o.Threads = 4
	o.Skip = func(rank, run int) bool { return run == 0 || rank == 2 && run == 1 }
	some, _ := runsOf(t, x, method, o)
	for _, r := range some.Runs {
		at := slices.IndexFunc(all.Runs, func(a FactorRun) bool { return a.Rank == r.Rank && a.Run == r.Run })
		if a := all.Runs[at]; a.HeldOutLoss != r.HeldOutLoss || a.HeldOutError != r.HeldOutError || a.Objective != r.Objective {
			t.Errorf("rank %d, run %d has %v alone, %v among others", r.Rank, r.Run, r.HeldOutLoss, a.HeldOutLoss)
		}
	}
	o.Skip = nil
	var large mat.Dense
	large.Scale(math.Ldexp(1, 400), x)
	scaled, _ := runsOf(t, &large, method, o)
	for i, r := range scaled.Runs {
		if a := all.Runs[i]; math.Abs(math.Ldexp(r.HeldOutLoss, -800)-a.HeldOutLoss) > 1e-9*a.HeldOutLoss || math.Abs(r.HeldOutError-a.HeldOutError) > 1e-9 {
			t.Errorf("data times 2^400: loss %v, error %v; want %v, %v", r.HeldOutLoss, r.HeldOutError, a.HeldOutLoss, a.HeldOutError)
		}
	}
	// Entries that are missing are not held out, and weights of 0 are missing.
	holes := mat.DenseCopyOf(x)
	for i := range 60 {
		holes.Set(i, (7*i)%40, math.NaN())
	}
	method.Missing = "weight"
	missing, _ := runsOf(t, holes, method, o)
	for _, r := range missing.Runs {
		if !(r.HeldOutLoss > 0) {
			t.Errorf("missing entries are held out: %v", r.HeldOutLoss)
		}
	}
}

// What cannot be held out is refused.
func TestHeldOutRefused(t *testing.T) {
	x := noisy(20, 10, 2, 0.1, 3)
	two, _ := sparse.FromTriplets(2, 2, []sparse.Triplet{{Row: 0, Col: 0, Val: 1}, {Row: 1, Col: 1, Val: 1}})
	r := refusing(t)
	r.of("", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{1, 2}, Runs: 2, HeldOut: 1})))
	r.of("", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{1, 2}, Runs: 2, HeldOut: -0.5})))
	r.of("", failed(FactorizeRuns(t.Context(), x, NMF{}, RunsOptions{Ranks: []int{1, 2}, Runs: 2, HeldOut: math.NaN()})))
	r.of("", failed(FactorizeRuns(t.Context(), x, CIMNMF{}, RunsOptions{Ranks: []int{1, 2}, Runs: 2, HeldOut: 0.1})))
	r.of("", failed(FactorizeRuns(t.Context(), two, NMF{}, RunsOptions{Ranks: []int{1, 2}, Runs: 2, HeldOut: 1e-9})))
	r.of("", failed(FactorizeRuns(t.Context(), x, NMF{Start: Start{Init: "nndsvd"}, LeastSquares: LeastSquares{Solver: "hals"}}, RunsOptions{Ranks: []int{1, 2}, Runs: 2, HeldOut: 0.1})))
}

func TestConsensusRefuses(t *testing.T) {
	x, _ := groups(40, 9)
	random := mat.NewDense(40, 9, nil)
	blas.NewStream(1).Uniforms(random.RawMatrix().Data)
	with := func(v float64) *mat.Dense {
		d := mat.DenseCopyOf(random)
		d.Set(7, 3, v)
		return d
	}
	r := refusing(t)
	r.of("rank", failed(FindConsensus(t.Context(), x, random, 3, ConsensusOptions{})))
	r.of("columns", failed(FindConsensus(t.Context(), x, mat.NewDense(8, 5, nil), 2, ConsensusOptions{})))
	r.of("few runs", failed(FindConsensus(t.Context(), x, random, 20, ConsensusOptions{})))
	r.of("filter", failed(FindConsensus(t.Context(), x, random, 5, ConsensusOptions{Threshold: 1e-6})))
	r.of("threshold", failed(FindConsensus(t.Context(), x, random, 5, ConsensusOptions{Threshold: -1})))
	r.of("levels", failed(FindConsensus(t.Context(), x, random, 5, ConsensusOptions{PerMillion: random.Slice(0, 3, 0, 9)})))
	r.of("negative component", failed(FindConsensus(t.Context(), x, with(-1), 5, ConsensusOptions{})))
	r.of("component that is not a number", failed(FindConsensus(t.Context(), x, with(math.NaN()), 5, ConsensusOptions{})))
	r.of("infinite level", failed(FindConsensus(t.Context(), x, random, 5, ConsensusOptions{PerMillion: with(math.Inf(1))})))
	r.of("sparse level", failed(FindConsensus(t.Context(), x, random, 5, ConsensusOptions{PerMillion: compressedOf(t, with(math.NaN()))})))
}
