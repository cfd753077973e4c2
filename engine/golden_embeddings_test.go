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
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
)

// matrix turns rows into a dense matrix.
func matrix(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), golden.Flat(rows))
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	golden.Decode(t, raw, into)
}

func expectClose(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	golden.Expect(t, what, got, want, tol)
}

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

// The signed methods have their golden values in one case of the nonnegative ones:
// embeddings as rows, projections as columns. Signs are the project's where both
// take them from the same vector, and free for the others.
func TestGoldenSignedMethods(t *testing.T) {
	golden.Cases(t, "nonnegative-embeddings", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Name   string
			Tol    float64
			Inputs struct {
				X    [][]float64
				K, P int
				Reg  float64
				Kind string
			}
			Expect map[string]json.RawMessage
		}
		decode(t, raw, &c)
		x := mat.DenseCopyOf(matrix(c.Inputs.X).T())
		for key, raw := range c.Expect {
			name := map[string]string{"olpp_cai": "olpp-cai"}[key]
			if name == "" {
				name = key
			}
			t.Run(name, func(t *testing.T) {
				var want [][]float64
				decode(t, raw, &want)
				if key == "isomap_d2" {
					for i, row := range squaredGeodesics(t, x, c.Inputs.K) {
						expectClose(t, fmt.Sprintf("row %d", i), row, want[i], c.Tol)
					}
					return
				}
				m := named(t, name)
				settings := map[string]string{"neighbors": fmt.Sprint(c.Inputs.K), "dim": fmt.Sprint(c.Inputs.P), "gamma": fmt.Sprint(orPaperGamma(c.Inputs.Reg)), "weights": c.Inputs.Kind}
				if name == "le" { // its own t=auto is another mean
					settings["t"] = fmt.Sprintf("%.17g", meanSquaredEdge(t, x, c.Inputs.K))
				}
				for setting, value := range settings {
					if _, has := Values(m)[setting]; has {
						if err := Set(m, setting, value); err != nil {
							t.Fatal(err)
						}
					}
				}
				r := embed(t, x, m, Options{})
				if r.Dim != c.Inputs.P {
					t.Fatalf("%d columns, want %d", r.Dim, c.Inputs.P)
				}
				got, expected := r.Y, mat.DenseCopyOf(matrix(want).T())
				if linear(r) && name != "mds" {
					got, expected = projectionOf(r), matrix(want)
				}
				if _, cols := expected.Dims(); cols != c.Inputs.P {
					t.Fatalf("%d columns are expected, and P is %d", cols, c.Inputs.P)
				}
				signed := map[string]bool{"lle": true, "npp": true, "lpp": true, "onpp": true, "olpp": true}[name]
				for j := range c.Inputs.P {
					a, b := mat.Col(nil, j, got), mat.Col(nil, j, expected)
					if !signed && blas.Dot(a, b) < 0 {
						blas.Scale(-1, a)
					}
					expectClose(t, fmt.Sprintf("column %d", j), a, b, c.Tol)
				}
			})
		}
	})
}

// squaredGeodesics are the squared lengths of shortest paths along the union graph.
func squaredGeodesics(t *testing.T, x *mat.Dense, k int) [][]float64 {
	in := nearestInput(t, x, k)
	g := must(align.Geodesics(2)(in))(t)
	n, order, squares := in.X.N(), g.Paths.Order(), g.Squares
	rows := make([][]float64, n)
	for v, i := range order {
		rows[i] = make([]float64, n)
		for w, j := range order {
			rows[i][j] = squares.At(v, w)
		}
	}
	return rows
}

// meanSquaredEdge is the mean squared length of the union graph's edges.
func meanSquaredEdge(t *testing.T, x *mat.Dense, k int) float64 {
	return patch.Edges{Graph: "union", Weights: "heat", Joined: true}.Scale(nearestInput(t, x, k).Graph)
}

// nearestInput are samples whose k nearest are found.
func nearestInput(t *testing.T, x *mat.Dense, k int) align.Input {
	in := align.Input{Local: patch.Local{Run: steptest.Run(t), X: samples.Of(x)}}
	found := must(neighborhood.Nearest(k).Find(in.Run, in.X))(t)
	in.Graph = found.Graph
	return in
}

// orPaperGamma is the γ of a case, and that of the papers where it has none.
func orPaperGamma(gamma float64) float64 {
	if gamma == 0 {
		return 1e-3
	}
	return gamma
}
