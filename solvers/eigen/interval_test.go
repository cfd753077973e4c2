package eigen

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// complete is the Laplacian of the complete graph: 0, and n as often as n − 1.
func complete(t testing.TB, n int) *sparse.CSR {
	var edges [][2]int
	for i := range n {
		for j := range i {
			edges = append(edges, [2]int{i, j})
		}
	}
	return laplacian(t, n, edges)
}

// star is the Laplacian of a star; its eigenvalues are 0, 1 (n − 2 times) and n.
func star(t testing.TB, n int) *sparse.CSR {
	var edges [][2]int
	for i := 1; i < n; i++ {
		edges = append(edges, [2]int{0, i})
	}
	return laplacian(t, n, edges)
}

// equalBlocks are count Laplacians of triangles with an edge of weight 2.
func equalBlocks(t testing.TB, count int) *sparse.CSR {
	var edges [][2]int
	for i := range count {
		edges = append(edges, [2]int{3 * i, 3*i + 1}, [2]int{3*i + 1, 3*i + 2}, [2]int{3*i + 1, 3*i + 2}, [2]int{3 * i, 3*i + 2})
	}
	return laplacian(t, 3*count, edges)
}

// Every copy of an eigenvalue of large multiplicity in an interval around it is found.
func TestBetweenFindsMultiplicities(t *testing.T) {
	for _, c := range []struct {
		name      string
		a         *sparse.CSR
		low, high float64
		value     float64
		count     int
	}{
		{"complete", complete(t, 260), 259, 261, 260, 259},
		{"complete at an end", complete(t, 260), 260, 261, 260, 259},
		{"star", star(t, 500), 0.5, 1.5, 1, 498},
		{"star, narrow", star(t, 500), 1 - 1e-7, 1 + 1e-7, 1, 498},
		{"blocks, low", equalBlocks(t, 667), -0.5, 0.5, 0, 667},
		{"blocks, middle", equalBlocks(t, 240), 2.5, 3.5, 3, 240},
		{"blocks, high", equalBlocks(t, 240), 4.9, 5.5, 5, 240},
		{"blocks, lopsided", equalBlocks(t, 240), 2.999, 3.9, 3, 240},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := must.Get(Pencil{A: c.a}.Between(context.Background(), c.low, c.high, Options{}))(t)
			if len(e.Values) != c.count || !e.Converged {
				t.Fatalf("%d of %d, converged: %v, %s", len(e.Values), c.count, e.Converged, e.Plan.Reason)
			}
			for j, v := range e.Values {
				if math.Abs(v-c.value) > 1e-9*(1+c.value) {
					t.Fatalf("value %d is %g, want %g", j, v, c.value)
				}
			}
			checkOrthonormal(t, e.Vectors)
		})
	}
}

// checkOrthonormal asserts that vectors are, some of each with all.
func checkOrthonormal(t *testing.T, vectors [][]float64) {
	t.Helper()
	for j, x := range vectors {
		if j%17 != 0 {
			continue
		}
		for i, y := range vectors {
			unit := map[bool]float64{true: 1}[i == j]
			var d float64
			for k, v := range x {
				d += v * y[k]
			}
			if math.Abs(d-unit) > 1e-8 {
				t.Fatalf("vectors %d and %d: product %g", i, j, d)
			}
		}
	}
}

// Intervals without an eigenvalue are empty, of matrices of every order.
func TestBetweenMayBeEmpty(t *testing.T) {
	for _, c := range []struct {
		name   string
		a      *sparse.CSR
		m      mat.Matrix
		values []float64 // all, or those of interest
		gaps   [][2]float64
	}{
		{"1 × 1", tridiagonal(t, []float64{2}, nil), nil, []float64{2}, [][2]float64{{-3, 1}, {2.5, 9}}},
		{"1 × 1 with mass", tridiagonal(t, []float64{2}, nil), mat.NewDiagDense(1, []float64{4}), []float64{0.5}, [][2]float64{{-3, 0.4}, {0.6, 9}}},
		{"1 × 1, zero", tridiagonal(t, []float64{0}, nil), nil, []float64{0}, [][2]float64{{-3, -1}, {1, 9}}},
		{"2 × 2", tridiagonal(t, []float64{2, 2}, []float64{-1}), nil, []float64{1, 3}, [][2]float64{{-3, 0.5}, {1.5, 2.5}, {3.5, 9}}},
		{"2 × 2 with mass", tridiagonal(t, []float64{2, 2}, []float64{-1}), tridiagonal(t, []float64{2, 2}, []float64{1}), []float64{1. / 3, 3}, [][2]float64{{-3, 0.3}, {1.5, 2.5}, {3.5, 9}}},
		{"star of 300", star(t, 300), nil, []float64{0, 1, 300}, [][2]float64{{-9, -1}, {0.3, 0.7}, {2, 299}, {301, 400}}},
		{"graded", tridiagonal(t, []float64{1e30, 2, 1e-20}, []float64{1e5, 1e-12}), nil, nil, [][2]float64{{-5, -1}, {1e-10, 1}, {3, 1e29}, {1e31, 1e40}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, gap := range c.gaps {
				e, err := Pencil{A: c.a, M: c.m}.Between(context.Background(), gap[0], gap[1], Options{})
				if err != nil || len(e.Values) != 0 || len(e.Vectors) != 0 || len(e.Residuals) != 0 || !e.Converged {
					t.Errorf("%v: %+v, %v", gap, e, err)
				}
			}
			for _, v := range c.values {
				for _, ends := range [][2]float64{{v - 0.1, v + 0.1}, {v, v + 0.1}, {v - 0.1, v}} {
					e, err := Pencil{A: c.a, M: c.m}.Between(context.Background(), ends[0], ends[1], Options{})
					if err != nil || len(e.Values) == 0 || math.Abs(e.Values[0]-v) > 1e-12*(1+v) {
						t.Errorf("%v: %+v, %v", ends, e, err)
					}
				}
			}
		})
	}
	// Nothing is left once a null vector is known.
	e, err := Pencil{A: tridiagonal(t, []float64{0}, nil), Null: [][]float64{{1}}}.Between(context.Background(), -1, 1, Options{})
	if err != nil || len(e.Values) != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}
