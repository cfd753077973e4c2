package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/golden"
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
		if c.Name != "baselines" {
			t.Skipf("%s: a case of the multiplicative methods", c.Name)
		}
		x := mat.DenseCopyOf(matrix(c.Inputs.X).T())
		for key, raw := range c.Expect {
			name := map[string]string{"olpp_cai": "olpp-cai"}[key]
			if name == "" {
				name = key
			}
			t.Run(name, func(t *testing.T) {
				if key == "isomap_d2" {
					t.Skip("the geodesic distances behind isomap, which are tested with it")
				}
				m, err := New(name)
				if err != nil && (name == "mds" || name == "isomap") {
					t.Skipf("%s is not built yet", name)
				} else if err != nil {
					t.Fatal(err)
				}
				var want [][]float64
				decode(t, raw, &want)
				settings := map[string]string{"neighbors": fmt.Sprint(c.Inputs.K), "dim": fmt.Sprint(c.Inputs.P), "gamma": fmt.Sprint(c.Inputs.Reg), "weights": c.Inputs.Kind}
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
				got, expected := r.Y, mat.DenseCopyOf(matrix(want).T())
				if r.extension != nil && r.extension.kind == "linear" {
					got, expected = r.extension.arrays["projection"], matrix(want)
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

// meanSquaredEdge is the mean squared length of the union graph's edges.
func meanSquaredEdge(t *testing.T, x *mat.Dense, k int) float64 {
	p := testProblem(x, nil)
	p.options, _ = Options{}.withDefaults()
	g, err := nearest(k).find(p)
	if err != nil {
		t.Fatal(err)
	}
	p.graph = g
	mean, err := edges{graph: "union", joined: true}.scale(p, true)
	if err != nil {
		t.Fatal(err)
	}
	return mean
}
