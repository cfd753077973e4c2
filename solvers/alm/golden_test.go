package alm

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
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

// flat is a matrix row after row, turned its transpose.
func flat(rows [][]float64) []float64 {
	var all []float64
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

func turned(rows [][]float64) []float64 {
	var all []float64
	for j := range rows[0] {
		for _, row := range rows {
			all = append(all, row[j])
		}
	}
	return all
}

func compare(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range want {
		if !golden.Close(got[i], v, tol) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], v)
		}
	}
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
	s, err := sparse.FromTriplets(len(z), len(z), entries)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// prepared is a state before the step of E with multipliers of its own.
func prepared(t testing.TB, n, m int, x, h, w, l1, l2 []float64, o Options) *state {
	t.Helper()
	o.H, o.W = h, w
	o, err := o.filled(n, m)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		n, m := len(c.X[0]), len(c.X)
		x := turned(c.X)
		w, h, _, err := nmf.SVDStart(context.Background(), nmf.Dense(n, m, x), c.C, nmf.Options{Kernels: blas.MustSelect("")})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "W of NNDSVD", w, flat(c.NNDSVDG), c.Tol)
		compare(t, "H of NNDSVD", h, turned(c.NNDSVDF), c.Tol)

		s := prepared(t, n, m, x, turned(c.NNDSVDF), flat(c.NNDSVDG), turned(c.L1), flat(c.L2), Options{Rank: c.C, Lambda: c.Lam, Mu: c.Mu})
		ctx := context.Background()
		if err := s.sweep(ctx, c.Mu); err != nil {
			t.Fatal(err)
		}
		compare(t, "E", s.e, turned(c.E), c.Tol)
		s.takeAffinity(affinity(t, c.Zhat))
		for i := range n {
			lap := make([]float64, n)
			lap[i] = s.degree[i]
			cols, vals := s.current.affinity.Row(i)
			for q, j := range cols {
				lap[j] -= vals[q]
			}
			compare(t, "Φ", lap, c.Lap[i], c.Tol)
		}
		if err := s.stepFactors(ctx); err != nil {
			t.Fatal(err)
		}
		compare(t, "H", s.h, turned(c.F), c.Tol)
		compare(t, "W₊", s.wPlus, flat(c.H), c.Tol)
		compare(t, "W", s.w, flat(c.G), c.Tol)
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
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		n, m, k := len(c.X[0]), len(c.X), c.Rows.K
		a, err := NewAdaptive(context.Background(), n, m, turned(c.X), k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float64, n*n)
		for at, j := range a.index {
			s[at/k*n+int(j)] = a.value[at]
		}
		compare(t, "S", s, flat(c.Rows.S), c.Tol)
	})
}
