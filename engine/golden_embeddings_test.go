package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
)

// expectation is what a golden file says of one method on one data set.
type expectation struct {
	Method        string
	Params        map[string]json.RawMessage
	Eigenvalues   []float64
	EigenvalueTol float64  `json:"eigenvalue_tol"`
	Next          *float64 `json:"next_eigenvalue"`
	Embedding     [][]float64
	EmbeddingTol  float64 `json:"embedding_tol"`
	Dev           *float64
	Eta           *float64
}

func TestGoldenEmbeddings(t *testing.T) {
	golden.Cases(t, "local-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			X, Truth   [][]float64
			K, D       int
			Neighbours [][]int32
			Expect     []expectation
			Tol        float64
		}
		decode(t, raw, &c)
		x := matrix(c.X)
		g := graphOf(t, x, c.K)
		for i, want := range c.Neighbours {
			if !slices.Equal(g.Of(i), want) {
				t.Errorf("neighbours of %d are %v, want %v", i, g.Of(i), want)
			}
		}
		for _, e := range c.Expect {
			var settings []string
			for key, value := range e.Params {
				settings = append(settings, key+"="+string(value))
			}
			slices.Sort(settings)
			t.Run(e.Method+" "+strings.Join(settings, " "), func(t *testing.T) {
				goldenEmbedding(t, x, c.K, c.D, c.Tol, matrix(c.Truth), e)
			})
		}
	})
}

// takePaperGamma gives a method with weights the γ of the papers: what a case without a γ
// means.
func takePaperGamma(t *testing.T, m Method) {
	if _, has := Values(m)["gamma"]; has {
		if err := Set(m, "gamma", "0.001"); err != nil {
			t.Fatal(err)
		}
	}
}

func goldenEmbedding(t *testing.T, x *mat.Dense, k, d int, tol float64, truth *mat.Dense, e expectation) {
	m := named(t, e.Method)
	takePaperGamma(t, m)
	var o Options
	if _, given := e.Params["exclude_self"]; e.Method == "hlle" && !given {
		// The cases of hlle are those of the original program, which leaves the sample out.
		if err := Set(m, "exclude_self", "true"); err != nil {
			t.Fatal(err)
		}
	}
	for key, raw := range e.Params {
		if key == "landmark_rows" {
			decode(t, raw, &o.LandmarkRows)
			continue
		}
		if err := SetJSON(m, fmt.Appendf(nil, "{%q: %s}", key, raw)); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]int{"neighbors": k, "dim": d} {
		if err := Set(m, key, fmt.Sprint(value)); err != nil {
			t.Fatal(err)
		}
	}
	r := embed(t, x, m, o)
	if len(r.Values) != len(e.Eigenvalues) || r.Dim != len(e.Embedding[0]) {
		t.Fatalf("%d eigenvalues and %d coordinates, want %d and %d", len(r.Values), r.Dim, len(e.Eigenvalues), len(e.Embedding[0]))
	}
	for j, want := range e.Eigenvalues {
		if math.Abs(r.Values[j]-want) > e.EigenvalueTol {
			t.Errorf("eigenvalue %d is %.17g, want %.17g (tolerance %g)", j, r.Values[j], want, e.EigenvalueTol)
		}
	}
	if e.Next != nil && math.Abs(r.Next-*e.Next) > max(e.EigenvalueTol, tol) {
		t.Errorf("next eigenvalue %.17g, want %.17g", r.Next, *e.Next)
	}
	want := matrix(e.Embedding)
	for j := range d {
		got, want := mat.Col(nil, j, r.Y), mat.Col(nil, j, want)
		if blas.Dot(got, want) < 0 {
			blas.Scale(-1, got)
		}
		expectClose(t, fmt.Sprintf("coordinate %d", j), got, want, e.EmbeddingTol)
	}
	if e.Dev != nil {
		dev := deviationOf(t, truth, r.Y)
		expectClose(t, "dev", []float64{dev}, []float64{*e.Dev}, max(tol, 10*e.EmbeddingTol))
	}
	if e.Eta != nil {
		expectClose(t, "η", []float64{r.Details["eta"].(float64)}, []float64{*e.Eta}, tol)
	}
}
