package align

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/lasso"
	"github.com/orthant-go/orthant/sparse"
)

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
			golden.Decode(t, raw, &c)
			for i, d := range c.Inputs.D {
				golden.Expect(t, "ω", []float64{FisherWeight(d)}, c.Expect.W[i:i+1], c.Tol)
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
	golden.Decode(t, raw, &c)
	in := Input{Local: patch.Local{Run: steptest.Run(t), X: steptest.Columns(c.Inputs.X)}}
	found := must.Get(neighborhood.UnitNearest{Nearest: neighborhood.Nearest(c.Inputs.P)}.Find(in.Run, in.X))(t)
	in.Graph = found.Graph
	unit := must.Get(onUnitRows(in))(t)
	coder := lasso.NewRobustLasso(blas.MustSelect("auto"), c.Inputs.Xi1, c.Inputs.Xi2)
	for i, want := range c.Expect.Neighbours {
		if !slices.Equal(in.Graph.Of(i), want) {
			t.Fatalf("neighbours of %d are %v, want %v", i, in.Graph.Of(i), want)
		}
		a, r := coder.Solve(unit.X.Row(i), unit.X.Data(), want, nil)
		golden.Expect(t, "α", a, c.Expect.Alpha[i], c.Tol)
		golden.Expect(t, "objective", []float64{r.Objective}, c.Expect.Objective[i:i+1], c.Tol)
	}
	a := must.Get(LocallySparse{c.Inputs.Xi1, c.Inputs.Xi2, c.Inputs.Tau}.Align(in))(t)
	got, want := denseOf(a.Phi), golden.Flat(c.Expect.L)
	golden.Expect(t, "L", got, want, c.Tol)
	n := in.X.N()
	for i := range n {
		for j := range n {
			if i != j {
				golden.Expect(t, "S", []float64{-got[i*n+j] / 2}, c.Expect.S[i][j:j+1], c.Tol)
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
	golden.Decode(t, raw, &c)
	in := Input{Local: patch.Local{Run: steptest.Run(t), X: steptest.Columns(c.Inputs.X).Labeled(c.Inputs.Y)}}
	rule := Discriminative{Within: c.Inputs.K1, Between: c.Inputs.K2, Codes: codes, Singular: "pinv"}
	within, between := must.Two(rule.Parts(in))(t)
	golden.Expect(t, "L^w", denseOf(within), golden.Flat(c.Expect.Lw), c.Tol)
	golden.Expect(t, "L^b", denseOf(between), golden.Flat(c.Expect.Lb), c.Tol)
	a := must.Get(rule.Align(in))(t)
	golden.Expect(t, "L", a.Dense, golden.Flat(c.Expect.L), c.Tol)
}
