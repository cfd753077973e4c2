package neighborhood

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// Embeddings by the pursuit are of TestGoldenLNPEmbeddings.
func TestGoldenLNP(t *testing.T) {
	golden.Cases(t, "local-lnp", func(t *testing.T, raw json.RawMessage) {
		var kind struct{ Kind string }
		golden.Decode(t, raw, &kind)
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
	golden.Decode(t, raw, &c)
	g, squares := differencesTo(c.Point, c.Candidates)
	w := NewPursuer(blas.MustSelect("auto"))
	selected, weights := w.Select(g, squares, len(c.Point), math.MaxInt)
	if !slices.Equal(selected, c.Expect.Selected) {
		t.Errorf("selected %v, want %v", selected, c.Expect.Selected)
	}
	golden.Expect(t, "weights", weights, c.Expect.Weights, c.Tol)
	norms := slices.Clone(w.residuals)
	for i, r := range norms {
		norms[i] = math.Sqrt(r)
	}
	golden.Expect(t, "residuals", norms, c.Expect.Residuals, c.Tol)
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
		}
	}
	golden.Decode(t, raw, &c)
	job, x := steptest.Run(t), steptest.Samples(c.X)
	candidates := must.Get(neighbors.Exact(t.Context(), x.Points(), c.K, neighbors.Options{}))(t)
	free, _ := must.Two(Pursuit{}.pursue(job, x, candidates, math.MaxInt))(t)
	expectLists(t, "free", free, c.Expect.Selected, c.Expect.Weights, c.Tol)
	about := profileOf(free)
	golden.Expect(t, "ρ", about.Rho, c.Expect.Rho, c.Tol)
	if classes := ClosedClasses(free); about.Gap != c.Expect.Gap || about.Support != c.Expect.Support || classes != c.Expect.Classes {
		t.Errorf("dimensions %d (gap) and %d (support), %d closed classes; want %d, %d, %d",
			about.Gap, about.Support, classes, c.Expect.Gap, c.Expect.Support, c.Expect.Classes)
	}
	capped, _ := must.Two(Pursuit{}.pursue(job, x, free.Truncated(max(about.Support, 1)+1), math.MaxInt))(t)
	expectLists(t, "capped", capped, c.Expect.CappedSelected, c.Expect.CappedWeights, c.Tol)
}

func expectLists(t *testing.T, what string, g *neighbors.Graph, selected [][]int32, weights [][]float64, tol float64) {
	t.Helper()
	for i := range selected {
		if !slices.Equal(g.Of(i), selected[i]) {
			t.Errorf("%s list of %d is %v, want %v", what, i, g.Of(i), selected[i])
			continue
		}
		golden.Expect(t, fmt.Sprintf("%s weights of %d", what, i), g.Weights(i), weights[i], tol)
	}
}
