package selective

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
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

// runOptions are the options of a golden run.
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
		must.Do(t, json.Unmarshal(raw, &c))
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
				x := golden.ColumnMajor(c.X)
				graph := must.Get(New(ctx, n, m, x, run.options(c.K, c.Tau)))(t)
				if run.Variant != "smrmf" && run.Variant != "smrmf-euc" {
					golden.Expect(t, "δ", []float64{graph.Delta()}, []float64{run.Delta}, 1e-9)
				}
				o := alm.Options{Rank: rank, Lambda: 0.1, Passes: run.Iters, TraceEvery: 1}
				begin := must.Get(alm.Start(ctx, n, m, x, rank, o))(t)
				o.W, o.H = begin.W, begin.H
				found := must.Get(alm.Factorize(ctx, n, m, x, graph, o))(t)
				for i, want := range run.Residuals {
					got := found.Trace[i+1].Residuals
					golden.Expect(t, "residuals", got[:], want[:3], c.Tol)
				}
				golden.Expect(t, "H", found.H, golden.ColumnMajor(run.F), c.Tol)
				golden.Expect(t, "W₊", found.NonnegativePart, slices.Concat(run.H...), c.Tol)
				golden.Expect(t, "norms of rows", graph.Norms(), run.Norms, c.Tol)
				if !slices.Equal(graph.Exemplars(), run.Exemplars) {
					t.Errorf("exemplars %v, want %v", graph.Exemplars(), run.Exemplars)
				}
				sums := make([]float64, n)
				learned := graph.Learned()
				for q, j := range learned.Col {
					sums[j] += learned.Val[q]
				}
				golden.Expect(t, "sums of columns of Ẑ", sums, run.Columns, c.Tol)
			})
		}
	})
}
