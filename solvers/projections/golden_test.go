package projections

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// across lays a matrix whose groups are rows out with groups as columns.
func across(a [][]float64) (rows, groups int, flat []float64) {
	return len(a[0]), len(a), golden.ColumnMajor(a)
}

// along lays a matrix out as it is written, so that its columns are the groups.
func along(a [][]float64) (rows, groups int, flat []float64) {
	return len(a), len(a[0]), golden.Flat(a)
}

func applied(g *Groups, rows, groups int, a []float64) []float64 {
	b := make([]float64, len(a))
	for j := range rows {
		g.Apply(b[j*groups:(j+1)*groups], a[j*groups:(j+1)*groups])
	}
	return b
}

func TestGoldenProjections(t *testing.T) {
	ctx := context.Background()
	type ball struct {
		A          [][]float64
		Tau        float64
		B          [][]float64
		Multiplier float64
	}
	golden.Cases(t, "smrmf-projections", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol        float64
			Simplex    []struct{ V, Z []float64 }
			L1Inf, L12 []ball
			Prox       []struct {
				A, Linf, L2, Cols [][]float64
				T                 float64
			}
		}
		must.Do(t, json.Unmarshal(raw, &c))
		for _, one := range c.Simplex {
			z := make([]float64, len(one.V))
			Simplex(z, one.V, 1)
			golden.Expect(t, "simplex", z, one.Z, c.Tol)
		}
		for _, p := range []struct {
			norm  Norm
			cases []ball
		}{{Max, c.L1Inf}, {Euclidean, c.L12}} {
			for _, one := range p.cases {
				rows, groups, a := across(one.A)
				_, _, want := across(one.B)
				g := &Groups{Norm: p.norm}
				multiplier := must.Get(g.Project(ctx, rows, groups, a, one.Tau))(t)
				golden.Expect(t, "ball", applied(g, rows, groups, a), want, c.Tol)
				if p.norm == Max {
					golden.Expect(t, "multiplier", []float64{multiplier}, []float64{one.Multiplier}, c.Tol)
				}
			}
		}
		for _, one := range c.Prox {
			for _, p := range []struct {
				norm Norm
				lay  func([][]float64) (int, int, []float64)
				want [][]float64
			}{{Max, across, one.Linf}, {Euclidean, across, one.L2}, {Euclidean, along, one.Cols}} {
				rows, groups, a := p.lay(one.A)
				_, _, want := p.lay(p.want)
				g := &Groups{Norm: p.norm}
				must.Do(t, g.Shrink(ctx, rows, groups, a, one.T))
				golden.Expect(t, "prox", applied(g, rows, groups, a), want, c.Tol)
			}
		}
	})
}
