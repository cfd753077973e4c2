package exemplars

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// pointsOf are the columns of a matrix given by rows.
func pointsOf(rows [][]float64) blas.Rows {
	return blas.Rows{N: len(rows[0]), M: len(rows), Data: golden.ColumnMajor(rows)}
}

// gramOf is XXᵀ.
func gramOf(x blas.Rows) []float64 {
	l := make([]float64, x.N*x.N)
	for i := range x.N {
		for j := range x.N {
			for q, v := range x.Row(i) {
				l[i*x.N+j] += v * x.Row(j)[q]
			}
		}
	}
	return l
}

func TestGoldenSelections(t *testing.T) {
	ctx := context.Background()
	golden.Cases(t, "smrmf-baselines", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol    float64
			X      [][]float64
			IPM    []int
			Beyond []int `json:"ipm_beyond_rank"`
			DPP    *struct {
				B   [][]float64
				Map []int `json:"greedy_map"`
				Sym struct {
					Lam []float64
					E   [][]float64
				} `json:"elem_sym"`
			}
			ESC *struct {
				K, First  int
				Gamma     float64
				Exemplars []int
				C         [][]float64
				Tol       float64
			}
		}
		must.Do(t, json.Unmarshal(raw, &c))
		if c.IPM != nil {
			x := pointsOf(c.X)
			p, err := Projection(ctx, x, len(c.IPM), Options{})
			if err != nil || !slices.Equal(p.Indices, c.IPM) {
				t.Errorf("ipm: %v (%v), want %v", p.Indices, err, c.IPM)
			}
		}
		if c.Beyond != nil {
			x := pointsOf(c.X)
			rank := min(x.N, x.M, len(c.Beyond))
			p, err := Projection(ctx, x, len(c.Beyond), Options{})
			if err != nil || !slices.Equal(p.Indices[:rank], c.Beyond[:rank]) || p.Filled != len(c.Beyond)-rank {
				t.Errorf("ipm beyond the rank: %v, %d filled (%v), want %v and then %d", p.Indices, p.Filled, err, c.Beyond[:rank], len(c.Beyond)-rank)
			}
		}
		if c.DPP != nil {
			var x blas.Rows // L = BBᵀ
			x.N, x.M = len(c.DPP.B), len(c.DPP.B[0])
			for _, row := range c.DPP.B {
				x.Data = append(x.Data, row...)
			}
			got, _, err := Greedy(ctx, gramOf(x), x.N, len(c.DPP.Map), Options{})
			if err != nil || !slices.Equal(got, c.DPP.Map) {
				t.Errorf("greedy: %v (%v), want %v", got, err, c.DPP.Map)
			}
			table, width := LogElementary(c.DPP.Sym.Lam, len(c.DPP.Sym.E)-1), len(c.DPP.Sym.Lam)+1
			for l, row := range c.DPP.Sym.E {
				for j, want := range row {
					if got := math.Exp(table[l*width+j]); !golden.Close(got, want, c.Tol) {
						t.Errorf("e_%d of %d numbers is %v, want %v", l, j, got, want)
					}
				}
			}
		}
		if e := c.ESC; e != nil {
			x := pointsOf(c.X)
			for _, full := range []bool{false, true} {
				got, err := FarthestFirst(ctx, x, e.K, FarthestFirstOptions{Gamma: e.Gamma, First: e.First, Full: full})
				if err != nil || !slices.Equal(got.Indices, e.Exemplars) {
					t.Fatalf("esc-ffs (full search %v): %v (%v), want %v", full, got.Indices, err, e.Exemplars)
				}
				for q, row := range e.C {
					for i, want := range row {
						if v := got.Codes[i*e.K+q]; !golden.Close(v, want, e.Tol) {
							t.Errorf("esc-ffs: coefficient (%d, %d) is %v, want %v", q, i, v, want)
						}
					}
				}
			}
		}
	})
}
