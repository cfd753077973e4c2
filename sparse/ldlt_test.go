package sparse

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// spectrum returns the eigenvalues of A + shift·I, ascending.
func spectrum(t testing.TB, a *CSR, shift float64) []float64 {
	t.Helper()
	n := a.Rows
	full, w := a.Dense().RawMatrix().Data, make([]float64, n)
	for i := range n {
		full[i*n+i] += shift
	}
	if err := blas.MustSelect("").SymEig(n, full, n, w, new(blas.Work)); err != nil {
		t.Fatal(err)
	}
	return w
}

// saddle is the matrix of a saddle point, [H Bᵀ; B −δI] with H of order n, m constraints and δ ≥ 0.
func saddle(t testing.TB, n, m, perRow int, delta float64, random *blas.Stream) *CSR {
	t.Helper()
	var entries []Triplet
	both := func(i, j int, v float64) {
		entries = append(entries, Triplet{i, j, v})
		if i != j {
			entries = append(entries, Triplet{j, i, v})
		}
	}
	for i := range n {
		both(i, i, 0.1+random.Uniform())
	}
	for c := range m {
		both(n+c, c, 1+random.Uniform()) // full rank
		for range perRow {
			both(n+c, random.Below(n), random.Uniform()-0.5)
		}
		if delta > 0 {
			both(n+c, n+c, -delta)
		}
	}
	a, err := FromTriplets(n+m, n+m, entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestLDLTSmoke(t *testing.T) {
	random := blas.NewStream(5)
	for name, c := range map[string]struct {
		a     *CSR
		shift float64
	}{
		"grid":     {grid(15, true), -3},
		"cliques":  {cliques(500, 2, 9, 13), -4},
		"wide":     {cliques(400, 6, 14, 13), -6},
		"full":     {star(333, 333), -100},
		"saddle":   {saddle(t, 200, 120, 3, 0, random), 0},
		"definite": {grid(20, false), 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := NewLDLT(context.Background(), c.a, c.shift, CholeskyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			in, _ := f.Inertia()
			w := spectrum(t, c.a, c.shift)
			neg := 0
			for _, v := range w {
				if v < 0 {
					neg++
				}
			}
			x := make([]float64, c.a.Rows*3)
			random.Normals(x)
			b := slices.Clone(x)
			back, err := f.Solve(x, 3)
			t.Logf("%+v, want %d negative; closest %g; backward %.2g %v", in, neg, slices.MinFunc(w, func(a, b float64) int {
				return int(math.Copysign(1, math.Abs(a)-math.Abs(b)))
			}), back, err)
			if in.Negative != neg {
				t.Error("count")
			}
			if got := residual(c.a, c.shift, x, b, 3); !(got < 1e-12) {
				t.Errorf("residual %g", got)
			}
		})
	}
}
