package eigen

import (
	"fmt"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// product returns XᵀDX for a random m × n matrix X and a diagonal D.
func product(m, n int, diagonal func(i int) float64) []float64 {
	x := make([]float64, m*n)
	blas.NewStream(uint64(n)).Normals(x)
	a := make([]float64, n*n)
	for i := range m {
		row := x[i*n : i*n+n]
		for j := range n {
			blas.Axpy(diagonal(i)*row[j], row, a[j*n:j*n+n])
		}
	}
	return a
}

func TestGeneralized(t *testing.T) {
	kernels := blas.MustSelect("")
	for _, c := range []struct{ m, n, count, rank int }{
		{5, 1, 1, 1}, {40, 6, 6, 6}, {300, 50, 5, 50},
		{20, 30, 4, 20}, // fewer samples than columns: B is singular
	} {
		t.Run(fmt.Sprintf("%v", c), func(t *testing.T) {
			b := product(c.m, c.n, func(int) float64 { return 1 })
			a := product(c.m, c.n, func(i int) float64 { return float64(i) / float64(c.m) })
			values, vectors, rank, err := Generalized(kernels, c.n, a, b, c.count)
			if err != nil {
				t.Fatal(err)
			}
			if rank != c.rank {
				t.Errorf("%+v: rank %d", c, rank)
			}
			apply := func(m, v []float64) []float64 {
				y := make([]float64, c.n)
				for i := range y {
					y[i] = blas.Dot(m[i*c.n:i*c.n+c.n], v)
				}
				return y
			}
			for j, v := range vectors {
				if j > 0 && values[j] < values[j-1] {
					t.Errorf("%+v: values %g are not ascending", c, values)
				}
				av, bv := apply(a, v), apply(b, v)
				for i := range j + 1 {
					unit := 0.0
					if i == j {
						unit = 1
					}
					if d := math.Abs(blas.Dot(vectors[i], bv) - unit); d > 1e-10 {
						t.Errorf("%+v: vᵢᵀBvⱼ off by %g", c, d)
					}
				}
				blas.Axpy(-values[j], bv, av)
				if r := math.Sqrt(blas.Dot(av, av)); r > 1e-9*float64(c.m) {
					t.Errorf("%+v: residual %g of pair %d", c, r, j)
				}
			}
			if c.rank == c.n && c.count == c.n {
				// The eigenvalues lie between the least and the largest weight.
				if values[0] < 0 || values[c.count-1] > 1 {
					t.Errorf("%+v: values %g outside [0, 1]", c, values)
				}
			}
		})
	}
}

func TestGeneralizedRefuses(t *testing.T) {
	kernels := blas.MustSelect("")
	good := product(40, 4, func(int) float64 { return 1 })
	bad := append([]float64(nil), good...)
	bad[5] = math.NaN()
	for name, c := range map[string]struct {
		a, b  []float64
		count int
	}{
		"no pairs": {good, good, 0}, "too many pairs": {good, good, 5}, "NaN in A": {bad, good, 1},
		"NaN in B": {good, bad, 1}, "B of zeros": {good, make([]float64, 16), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, _, err := Generalized(kernels, 4, c.a, c.b, c.count); err == nil {
				t.Errorf("count %d was accepted", c.count)
			}
		})
	}
}
