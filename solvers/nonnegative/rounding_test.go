package nonnegative

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// Rounding: one entry a row, orthonormal columns, a trace within the bound of the
// signed optimum and not below that of the entries kept.
func TestRoundIsFeasible(t *testing.T) {
	const n, p = 60, 4
	kernels := blas.MustSelect("")
	for seed := range uint64(5) {
		m := mixed(n, seed)
		c := signedDense(t, n, m, false, 0)
		u := maximize(t, signedDense(t, n, m, false, 15), p, uniform(n*p, seed), Multiplicative{Iterations: 50}).U
		r := must.Get(Round(context.Background(), c, p, u, 1, 1))(t)
		kept := make([]float64, n*p)
		for i := range n {
			count := 0
			for q, v := range r.U[i*p : i*p+p] {
				if v < 0 || v > 0 && q != int(r.Label[i]) {
					t.Fatalf("row %d is %g", i, r.U[i*p:i*p+p])
				}
				if v > 0 {
					count++
				}
			}
			best := slices.Max(u[i*p : i*p+p])
			if u[i*p+int(r.Label[i])] != best {
				t.Fatalf("row %d keeps column %d of %g", i, r.Label[i], u[i*p:i*p+p])
			}
			kept[i*p+int(r.Label[i])] = best
		}
		g := gramOf(p, r.U)
		for q := range p {
			for s, v := range g[q*p : q*p+p] {
				if want := map[bool]float64{true: 1}[q == s]; math.Abs(v-want) > 1e-13 {
					t.Errorf("seed %d: UᵀU(%d, %d) = %g", seed, q, s, v)
				}
			}
		}
		norms := gramOf(p, kept)
		for i := range kept {
			kept[i] /= math.Sqrt(norms[i%p*p+i%p])
		}
		values, work := make([]float64, n), slices.Clone(m)
		must.Do(t, kernels.SymEig(n, work, n, values, new(blas.Work)))
		bound := 0.0
		for _, v := range values[n-p:] {
			bound += v
		}
		if full := form(n, p, m, r.U); math.Abs(r.Trace-full) > 1e-10 || r.Trace < form(n, p, m, kept)-1e-10 || r.Trace > bound {
			t.Errorf("seed %d: trace %g, in full %g, of the entries kept %g, bound %g", seed, r.Trace, full, form(n, p, m, kept), bound)
		}
	}
}

func TestRoundTiesAndEmptyColumns(t *testing.T) {
	u := []float64{1, 1, 0, 2, 2, 1, 1, 3, 0} // three rows; no row keeps the last column
	r, err := Round(context.Background(), signedDense(t, 3, gramian(3, 1), false, 0), 3, u, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Label, []int32{0, 0, 1}) || !slices.Equal(r.Empty, []int{2}) {
		t.Errorf("labels %v, empty %v", r.Label, r.Empty)
	}
	for i := range 3 {
		if r.U[i*3+2] != 0 {
			t.Errorf("the empty column holds %g", r.U[i*3+2])
		}
	}
	// A matrix that sends everything to zero leaves the entries as they are.
	r, err = Round(context.Background(), signedDense(t, 3, make([]float64, 9), false, 0), 3, u, 1, 1)
	if err != nil || math.Abs(r.U[0]-1/math.Sqrt(5)) > 1e-15 || r.U[7] != 1 {
		t.Errorf("the zero matrix gives %v (%v)", r, err)
	}
}
