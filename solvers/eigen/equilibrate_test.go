package eigen

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// path is the Laplacian of a path, with all of its eigenvalues.
func path(t testing.TB, n int) (*sparse.CSR, []float64) {
	var edges [][2]int
	values := make([]float64, n)
	for i := range n {
		if i > 0 {
			edges = append(edges, [2]int{i - 1, i})
		}
		values[i] = 4 * square(math.Sin(float64(i)*math.Pi/float64(2*n)))
	}
	return laplacian(t, n, edges), values
}

// Matrices far from 1 have the eigenvalues of those near 1, times what they were multiplied by.
func TestFarFromOne(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{30, 400} {
		for _, by := range []float64{1e-320, 1e-310, 1e-200, 1e-155, 1, 1e154, 1e200, 8e307} {
			a, all := path(t, n)
			a = a.Scaled(nil, by)
			least := 4e-324 / by // what is a number at all
			same := func(what string, values, want []float64, err error) {
				t.Helper()
				if err != nil {
					t.Errorf("%s of order %d × %g: %v", what, n, by, err)
					return
				}
				if len(values) != len(want) {
					t.Errorf("%s of order %d × %g: %d values of %d", what, n, by, len(values), len(want))
					return
				}
				for j, v := range want {
					// Entries below 1e-308 have few digits themselves.
					if off := math.Abs(values[j]/by - v); !(off <= 1e-11+8*least) {
						t.Errorf("%s of order %d × %g: value %d is %g, want %g", what, n, by, j, values[j]/by, v)
					}
				}
			}
			for _, certified := range []bool{false, true} {
				e, err := Pencil{A: a}.Smallest(ctx, 5, Options{Certified: certified})
				same("smallest", valuesOf(e), all[:5], err)
			}
			e, err := Smallest(ctx, a, [][]float64{ones(n)}, 4, Options{})
			same("smallest with a null vector", valuesOf(e), all[1:5], err)
			e, err = Pencil{A: a, M: mat.NewDiagDense(n, slices.Repeat([]float64{by}, n))}.Smallest(ctx, 5, Options{})
			if err != nil || math.Abs(e.Values[4]-all[4]) > 1e-11+8*least {
				t.Errorf("A and M × %g: %v, %v", by, valuesOf(e), err)
			}
			e, err = Pencil{A: a}.Between(ctx, (all[2]+all[3])/2*by, (all[6]+all[7])/2*by, Options{})
			if by > 1e-320 {
				same("between", valuesOf(e), all[3:7], err)
				e, err = Pencil{A: a, Sigma: (all[6] + 0.2*(all[7]-all[6])) * by}.Nearest(ctx, 1, Options{})
				same("nearest", valuesOf(e), all[6:7], err)
			}
			if by > 1e307 { // the largest eigenvalue is not a number
				if e, err = LargestOf(ctx, a, 3, Options{}); err == nil {
					t.Errorf("largest: %g", e.Values)
				}
				continue
			}
			want := slices.Clone(all[n-3:])
			slices.Reverse(want)
			e, err = LargestOf(ctx, a, 3, Options{})
			same("largest", valuesOf(e), want, err)
			s, err := SVD(ctx, a, 3, Options{})
			if err != nil {
				t.Error(err)
				continue
			}
			same("singular values", s.Values, want, err)
		}
	}
}

func valuesOf(e *Eigen) []float64 {
	if e == nil {
		return nil
	}
	return e.Values
}

// The adjacency matrix of a path, indefinite, as small as numbers are.
func TestTinyAdjacency(t *testing.T) {
	for _, n := range []int{50, 500} {
		a := tridiagonal(t, make([]float64, n), slices.Repeat([]float64{1e-320}, n-1))
		e, err := Pencil{A: a, Sigma: 0.3e-320}.Nearest(context.Background(), 4, Options{})
		if err != nil || len(e.Values) != 4 || !e.Converged {
			t.Errorf("%+v, %v", e, err)
		}
	}
}
