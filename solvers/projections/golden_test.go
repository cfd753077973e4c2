package projections

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// across lays a matrix whose groups are rows out with groups as columns.
func across(a [][]float64) (rows, groups int, flat []float64) {
	rows, groups = len(a[0]), len(a)
	flat = make([]float64, rows*groups)
	for i, group := range a {
		for j, v := range group {
			flat[j*groups+i] = v
		}
	}
	return rows, groups, flat
}

// along lays a matrix out as it is written, so that its columns are the groups.
func along(a [][]float64) (rows, groups int, flat []float64) {
	for _, row := range a {
		flat = append(flat, row...)
	}
	return len(a), len(a[0]), flat
}

func applied(g *Groups, rows, groups int, a []float64) []float64 {
	b := make([]float64, len(a))
	for j := range rows {
		g.Apply(b[j*groups:(j+1)*groups], a[j*groups:(j+1)*groups])
	}
	return b
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], v)
		}
	}
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
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		for _, one := range c.Simplex {
			z := make([]float64, len(one.V))
			Simplex(z, one.V, 1)
			near(t, "simplex", z, one.Z, c.Tol)
		}
		for _, p := range []struct {
			norm  Norm
			cases []ball
		}{{Max, c.L1Inf}, {Euclidean, c.L12}} {
			for _, one := range p.cases {
				rows, groups, a := across(one.A)
				_, _, want := across(one.B)
				g := &Groups{Norm: p.norm}
				multiplier, err := g.Project(ctx, rows, groups, a, one.Tau)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "ball", applied(g, rows, groups, a), want, c.Tol)
				if p.norm == Max {
					near(t, "multiplier", []float64{multiplier}, []float64{one.Multiplier}, c.Tol)
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
				if err := g.Shrink(ctx, rows, groups, a, one.T); err != nil {
					t.Fatal(err)
				}
				near(t, "prox", applied(g, rows, groups, a), want, c.Tol)
			}
		}
	})
}
