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

	"github.com/orthant-go/orthant/engine/datasets"
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
	for _, c := range []struct {
		name   string
		x      mat.Matrix
		method Method
		o      RunsOptions
		says   string
	}{
		{"rank", x, NMF{}, RunsOptions{Ranks: []int{2, 10}, Runs: 1}, "rank 10 for 40 × 9 data; give ranks from 1 to 9"},
		{"rank 0", x, NMF{}, RunsOptions{Ranks: []int{0}, Runs: 1}, "rank 0"},
		{"twice", x, NMF{}, RunsOptions{Ranks: []int{2, 2}, Runs: 1}, "rank 2 is given twice"},
		{"none", x, NMF{}, RunsOptions{Runs: 1}, "no ranks"},
		{"runs", x, NMF{}, RunsOptions{Ranks: []int{2}}, "0 runs"},
		{"negative", negative, NMF{}, RunsOptions{Ranks: []int{2}, Runs: 2}, "row 4, column 5"},
		{"graph", x, GNMF{}, RunsOptions{Ranks: []int{2}, Runs: 2}, "many runs are made by nmf, nmf-kl"},
		{"memory", x, NMF{}, RunsOptions{Options: Options{Memory: 1 << 10}, Ranks: []int{2}, Runs: 2}, "limit"},
	} {
		_, err := FactorizeRuns(context.Background(), c.x, c.method, c.o)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
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
