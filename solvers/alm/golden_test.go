package alm

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// efhgCase is a case of smrmf-efhg.json, in the letters and the orientation of the paper:
// X, E, L1 m × n; G is our W, H our W₊, F our Hᵀ.
type efhgCase struct {
	Tol         float64
	X, E, L1    [][]float64
	C           int
	NNDSVDF     [][]float64 `json:"nndsvd_F"`
	NNDSVDG     [][]float64 `json:"nndsvd_G"`
	Zhat, Lap   [][]float64
	L2, F, H, G [][]float64
	Lam, Mu     float64
}

// affinity is (Z + Zᵀ)/2 in compressed rows.
func affinity(t testing.TB, z [][]float64) *sparse.CSR {
	t.Helper()
	var entries []sparse.Triplet
	for i, row := range z {
		for j, v := range row {
			if v != 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v / 2}, sparse.Triplet{Row: j, Col: i, Val: v / 2})
			}
		}
	}
	s := must.Get(sparse.FromTriplets(len(z), len(z), entries))(t)
	return s
}

// prepared is a state before the step of E with multipliers of its own.
func prepared(t testing.TB, n, m int, x, h, w, l1, l2 []float64, o Options) *state {
	t.Helper()
	o.H, o.W = h, w
	o = must.Get(o.filled(n, m))(t)
	s := newState(n, m, x, o)
	copy(s.l2, l2)
	s.mu = o.Mu
	// A − WH stands for Λ₁/μ at the start of a sweep.
	s.kernels.Gemm(false, false, n, m, s.r, 1, s.w, s.r, s.h, m, 0, s.a, m)
	blas.Axpy(1/s.mu, l1, s.a)
	return s
}

func TestGoldenPass(t *testing.T) {
	golden.Cases(t, "smrmf-efhg", func(t *testing.T, raw json.RawMessage) {
		var c efhgCase
		must.Do(t, json.Unmarshal(raw, &c))
		n, m := len(c.X[0]), len(c.X)
		x := golden.ColumnMajor(c.X)
		w, h, _, err := nmf.SVDStart(context.Background(), nmf.Dense(n, m, x), c.C, nmf.Options{Kernels: blas.MustSelect("")})
		if err != nil {
			t.Fatal(err)
		}
		golden.Expect(t, "W of NNDSVD", w, golden.Flat(c.NNDSVDG), c.Tol)
		golden.Expect(t, "H of NNDSVD", h, golden.ColumnMajor(c.NNDSVDF), c.Tol)

		s := prepared(t, n, m, x, golden.ColumnMajor(c.NNDSVDF), golden.Flat(c.NNDSVDG), golden.ColumnMajor(c.L1), golden.Flat(c.L2), Options{Rank: c.C, Lambda: c.Lam, Mu: c.Mu})
		ctx := context.Background()
		must.Do(t, s.sweep(ctx, c.Mu))
		golden.Expect(t, "E", s.e, golden.ColumnMajor(c.E), c.Tol)
		s.takeAffinity(affinity(t, c.Zhat))
		for i := range n {
			lap := make([]float64, n)
			lap[i] = s.degree[i]
			cols, vals := s.current.affinity.Row(i)
			for q, j := range cols {
				lap[j] -= vals[q]
			}
			golden.Expect(t, "Φ", lap, c.Lap[i], c.Tol)
		}
		must.Do(t, s.stepFactors(ctx))
		golden.Expect(t, "H", s.h, golden.ColumnMajor(c.F), c.Tol)
		golden.Expect(t, "W₊", s.wPlus, golden.Flat(c.H), c.Tol)
		golden.Expect(t, "W", s.w, golden.Flat(c.G), c.Tol)
	})
}

func TestGoldenAdaptiveNeighbors(t *testing.T) {
	golden.Cases(t, "smrmf-baselines", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Tol  float64
			X    [][]float64
			Rows struct {
				K int
				S [][]float64
			} `json:"adaptive_neighbours"`
		}
		must.Do(t, json.Unmarshal(raw, &c))
		n, m, k := len(c.X[0]), len(c.X), c.Rows.K
		a := must.Get(NewAdaptive(context.Background(), n, m, golden.ColumnMajor(c.X), k, Options{}))(t)
		s := make([]float64, n*n)
		for at, j := range a.index {
			s[at/k*n+int(j)] = a.value[at]
		}
		golden.Expect(t, "S", s, golden.Flat(c.Rows.S), c.Tol)
	})
}
