package selective

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/solvers/alm"
)

// goldenRun is one of the runs of smrmf-runs.json, in the paper's orientation: F m × c.
type goldenRun struct {
	Variant, Diag   string
	Neighbors       string `json:"neighbours"`
	Iters           int
	Residuals, F, H [][]float64
	Exemplars       []int
	Delta           float64
	Columns         []float64 `json:"zhat_colsum"`
	Norms           []float64 `json:"z_rownorm"`
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], v)
		}
	}
}

func turned(rows [][]float64) []float64 {
	var all []float64
	for j := range rows[0] {
		for _, row := range rows {
			all = append(all, row[j])
		}
	}
	return all
}

// runOptions are those of a golden run.
func (r goldenRun) options(k, tau int) Options {
	return Options{Neighbors: k, Exemplars: tau, Lambda: 0.1, Beta: 0.2, Start: 30,
		Fast: r.Variant == "f-smrmf" || r.Variant == "smrmf-ns", All: r.Variant == "smrmf-ns",
		Distances: r.Variant == "smrmf-euc", Input: r.Neighbors == "input", Diagonal: r.Diag}
}

func TestGoldenLearnedGraphs(t *testing.T) {
	ctx := context.Background()
	golden.Cases(t, "smrmf-runs", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol    float64
			X      [][]float64 `json:"X_raw"`
			K, Tau int
			Runs   []goldenRun
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		for _, row := range c.X {
			least := slices.Min(row)
			for i := range row {
				row[i] -= least
			}
		}
		n, m := len(c.X[0]), len(c.X)
		for _, run := range c.Runs {
			t.Run(run.Variant+" "+run.Neighbors+" "+run.Diag, func(t *testing.T) {
				rank := len(run.F[0])
				x := turned(c.X)
				graph, err := New(ctx, n, m, x, run.options(c.K, c.Tau))
				if err != nil {
					t.Fatal(err)
				}
				if run.Variant != "smrmf" && run.Variant != "smrmf-euc" {
					near(t, "δ", []float64{graph.Delta()}, []float64{run.Delta}, 1e-9)
				}
				o := alm.Options{Rank: rank, Lambda: 0.1, Passes: run.Iters, TraceEvery: 1}
				begin, err := alm.Start(ctx, n, m, x, rank, o)
				if err != nil {
					t.Fatal(err)
				}
				o.W, o.H = begin.W, begin.H
				found, err := alm.Factorize(ctx, n, m, x, graph, o)
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range run.Residuals {
					got := found.Trace[i+1].Residuals
					near(t, "residuals", got[:], want[:3], c.Tol)
				}
				near(t, "H", found.H, turned(run.F), c.Tol)
				near(t, "W₊", found.NonnegativePart, slices.Concat(run.H...), c.Tol)
				near(t, "norms of rows", graph.Norms(), run.Norms, c.Tol)
				if !slices.Equal(graph.Exemplars(), run.Exemplars) {
					t.Errorf("exemplars %v, want %v", graph.Exemplars(), run.Exemplars)
				}
				sums := make([]float64, n)
				learned := graph.Learned()
				for q, j := range learned.Col {
					sums[j] += learned.Val[q]
				}
				near(t, "sums of columns of Ẑ", sums, run.Columns, c.Tol)
			})
		}
	})
}
