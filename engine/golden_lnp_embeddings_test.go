package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
)

// The pursuit itself is of TestGoldenLNP.
func TestGoldenLNPEmbeddings(t *testing.T) {
	golden.Cases(t, "local-lnp", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			X      [][]float64
			K      int
			Tol    float64
			Expect struct {
				Gap          int `json:"gap_dimension"`
				Support      int `json:"support_dimension"`
				Classes      int `json:"closed_classes"`
				D            *int
				Eigenvalues  []float64
				Embedding    [][]float64
				EmbeddingTol float64 `json:"embedding_tol"`
			}
		}
		decode(t, raw, &c)
		x := matrix(c.X)
		auto, none := LNP{Neighbors: c.K, Dim: 1}, LNP{Neighbors: c.K, Dim: 1, Cap: new(int)}
		if r := embed(t, x, auto, Options{}); r.Details["gap_dimension"] != c.Expect.Gap || r.Details["support_dimension"] != c.Expect.Support || r.Details["cap"] != max(c.Expect.Support, 1)+1 {
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
	})
}
