package engine

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// samplesOf turns a matrix whose columns are samples into one of rows.
func samplesOf(columns [][]float64) *mat.Dense { return mat.DenseCopyOf(matrix(columns).T()) }

// testOptions are options as Embed completes them.
func testOptions(t testing.TB, o Options) Options {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func sparseProblem(t testing.TB, x *mat.Dense, o Options) *problem {
	t.Helper()
	p := testProblem(x, nil)
	p.options, p.ctx, p.labels = testOptions(t, o), context.Background(), o.Labels
	return p
}

func rowsOf(rows [][]float64) []float64 { return matrix(rows).RawMatrix().Data }

func denseOf(a *sparse.CSR) []float64 { return a.Dense().RawMatrix().Data }

func TestGoldenRobustGraphs(t *testing.T) {
	golden.Cases(t, "rnpa", func(t *testing.T, raw json.RawMessage) {
		switch kind := golden.Kind(t, "rnpa", raw); kind {
		case "lp-graph":
			goldenLocallySparse(t, raw)
		case "sp-graph", "ndla-graph":
			goldenDiscriminative(t, raw, kind == "sp-graph")
		case "fisher-weight":
			var c struct {
				Tol    float64
				Inputs struct{ D []float64 }
				Expect struct{ W []float64 }
			}
			decode(t, raw, &c)
			for i, d := range c.Inputs.D {
				expectClose(t, "ω", []float64{fisherWeight(d)}, c.Expect.W[i:i+1], c.Tol)
			}
		default:
			t.Fatalf("unknown kind %q: nothing tests it", kind)
		}
	})
}

func goldenLocallySparse(t *testing.T, raw json.RawMessage) {
	var c struct {
		Tol    float64
		Inputs struct {
			X             [][]float64
			P             int
			Xi1, Xi2, Tau float64
		}
		Expect struct {
			Neighbours [][]int32
			Alpha, S   [][]float64
			L          [][]float64
			Objective  []float64
		}
	}
	decode(t, raw, &c)
	x := samplesOf(c.Inputs.X)
	p := sparseProblem(t, x, Options{})
	var err error
	if p.graph, err = (unitNearest{nearest(c.Inputs.P)}).find(p); err != nil {
		t.Fatal(err)
	}
	unit, err := unitRows(p)
	if err != nil {
		t.Fatal(err)
	}
	coder := solvers.NewRobustLasso(blas.MustSelect("auto"), c.Inputs.Xi1, c.Inputs.Xi2)
	for i, want := range c.Expect.Neighbours {
		if !slices.Equal(p.graph.Of(i), want) {
			t.Fatalf("neighbours of %d are %v, want %v", i, p.graph.Of(i), want)
		}
		a, r := coder.Solve(unit.Row(i), unit.Data, want, nil)
		expectClose(t, "α", a, c.Expect.Alpha[i], c.Tol)
		expectClose(t, "objective", []float64{r.Objective}, c.Expect.Objective[i:i+1], c.Tol)
	}
	a, err := locallySparse{c.Inputs.Xi1, c.Inputs.Xi2, c.Inputs.Tau}.align(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := denseOf(a.phi), rowsOf(c.Expect.L)
	expectClose(t, "L", got, want, c.Tol)
	n := x.RawMatrix().Rows
	for i := range n {
		for j := range n {
			if i != j {
				expectClose(t, "S", []float64{-got[i*n+j] / 2}, c.Expect.S[i][j:j+1], c.Tol)
			}
		}
	}
}

func goldenDiscriminative(t *testing.T, raw json.RawMessage, codes bool) {
	var c struct {
		Tol    float64
		Inputs struct {
			X      [][]float64
			Y      []int64
			K1, K2 int
		}
		Expect struct{ Lw, Lb, L [][]float64 }
	}
	decode(t, raw, &c)
	p := sparseProblem(t, samplesOf(c.Inputs.X), Options{Labels: c.Inputs.Y})
	rule := discriminative{within: c.Inputs.K1, between: c.Inputs.K2, codes: codes, singular: "pinv"}
	within, between, err := rule.parts(p)
	if err != nil {
		t.Fatal(err)
	}
	expectClose(t, "L^w", denseOf(within), rowsOf(c.Expect.Lw), c.Tol)
	expectClose(t, "L^b", denseOf(between), rowsOf(c.Expect.Lb), c.Tol)
	a, err := rule.align(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	expectClose(t, "L", a.whole, rowsOf(c.Expect.L), c.Tol)
}
