package engine

import (
	"encoding/json"
	"fmt"
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
				if r.extension != nil && r.extension.Kind == "linear" && name != "mds" {
					got, expected = r.extension.Arrays["projection"], matrix(want)
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
