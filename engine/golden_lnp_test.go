package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/neighbors"
)

func TestGoldenLNP(t *testing.T) {
	golden.Cases(t, "local-lnp", func(t *testing.T, raw json.RawMessage) {
		var kind struct{ Kind string }
		decode(t, raw, &kind)
		switch kind.Kind {
		case "pursuit":
			goldenPursuit(t, raw)
		case "data":
			goldenRepresentation(t, raw)
		default:
			t.Fatalf("unknown kind %q: nothing tests it", kind.Kind)
		}
	})
}

func goldenPursuit(t *testing.T, raw json.RawMessage) {
	var c struct {
		Point      []float64
		Candidates [][]float64
		Tol        float64
		Expect     struct {
			Selected  []int
			Weights   []float64
			Residuals []float64 `json:"residual_norms"`
		}
	}
	decode(t, raw, &c)
	g, squares := differencesTo(c.Point, c.Candidates)
	w := &pursuer{kernels: blas.MustSelect("auto")}
	selected, weights := w.of(g, squares, len(c.Point), math.MaxInt)
	if !slices.Equal(selected, c.Expect.Selected) {
		t.Errorf("selected %v, want %v", selected, c.Expect.Selected)
	}
	expectClose(t, "weights", weights, c.Expect.Weights, c.Tol)
	norms := slices.Clone(w.residuals)
	for i, r := range norms {
		norms[i] = math.Sqrt(r)
	}
	expectClose(t, "residuals", norms, c.Expect.Residuals, c.Tol)
}

// differencesTo returns the rows candidate − point and their squared lengths.
func differencesTo(point []float64, candidates [][]float64) (g, squares []float64) {
	for _, a := range candidates {
		from := len(g)
		for j, v := range a {
			g = append(g, v-point[j])
		}
		squares = append(squares, blas.Dot(g[from:], g[from:]))
	}
	return g, squares
}

func goldenRepresentation(t *testing.T, raw json.RawMessage) {
	var c struct {
		X      [][]float64
		K      int
		Tol    float64
		Expect struct {
			Selected       [][]int32
			Weights        [][]float64
			Rho            []float64
			Gap            int         `json:"gap_dimension"`
			Support        int         `json:"support_dimension"`
			Classes        int         `json:"closed_classes"`
			CappedSelected [][]int32   `json:"capped_selected"`
			CappedWeights  [][]float64 `json:"capped_weights"`
			D              *int
			Eigenvalues    []float64
			Embedding      [][]float64
			EmbeddingTol   float64 `json:"embedding_tol"`
		}
	}
	decode(t, raw, &c)
	x := matrix(c.X)
	candidates, err := neighbors.Exact(context.Background(), pointsOf(x), c.K, neighbors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testProblem(x, candidates)
	free, err := pursuit{}.pursue(p, candidates, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	expectLists(t, "free", free, c.Expect.Selected, c.Expect.Weights, c.Tol)
	about := profileOf(free)
	expectClose(t, "ρ", about.rho, c.Expect.Rho, c.Tol)
	if classes := closedClasses(free); about.gap != c.Expect.Gap || about.support != c.Expect.Support || classes != c.Expect.Classes {
		t.Errorf("dimensions %d (gap) and %d (support), %d closed classes; want %d, %d, %d",
			about.gap, about.support, classes, c.Expect.Gap, c.Expect.Support, c.Expect.Classes)
	}
	capped, err := pursuit{}.pursue(p, free.Truncated(max(about.support, 1)+1), math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	expectLists(t, "capped", capped, c.Expect.CappedSelected, c.Expect.CappedWeights, c.Tol)

	auto, none := LNP{Neighbors: c.K, Dim: 1}, LNP{Neighbors: c.K, Dim: 1, Cap: new(int)}
	if r := embed(t, x, auto, Options{}); r.Details["gap_dimension"] != c.Expect.Gap || r.Details["support_dimension"] != c.Expect.Support || r.Details["cap"] != max(about.support, 1)+1 {
		t.Errorf("details %v", r.Details)
	}
	if c.Expect.D == nil {
		return
	}
	none.Dim = *c.Expect.D
	r := embed(t, x, none, Options{})
	if r.Details["closed_classes"] != c.Expect.Classes || r.Params["cap"] != "none" {
		t.Errorf("details %v, parameters %v", r.Details, r.Params)
	}
	expectClose(t, "eigenvalues", r.Values, c.Expect.Eigenvalues, c.Tol)
	for j := range c.Expect.Embedding[0] {
		want := mat.Col(nil, j, matrix(c.Expect.Embedding))
		got := mat.Col(nil, j, r.Y)
		if blas.Dot(got, want) < 0 {
			blas.Scale(-1, got)
		}
		expectClose(t, fmt.Sprintf("coordinate %d", j), got, want, c.Expect.EmbeddingTol)
	}
}

func expectLists(t *testing.T, what string, g *neighbors.Graph, selected [][]int32, weights [][]float64, tol float64) {
	t.Helper()
	for i := range selected {
		if !slices.Equal(g.Of(i), selected[i]) {
			t.Errorf("%s list of %d is %v, want %v", what, i, g.Of(i), selected[i])
			continue
		}
		expectClose(t, fmt.Sprintf("%s weights of %d", what, i), g.Weights(i), weights[i], tol)
	}
}
