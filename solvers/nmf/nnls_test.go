package nmf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// bestBySets has the least squared error over x ≥ 0, by trying every set of positive
// coefficients: the least squares over it, by elimination, where they are positive.
func bestBySets(rows, cols int, a, b []float64) (best []float64, least float64) {
	best, least = make([]float64, cols), blas.Dot(b, b)
	for set := 1; set < 1<<cols; set++ {
		var in []int
		for k := range cols {
			if set>>k&1 == 1 {
				in = append(in, k)
			}
		}
		s := len(in)
		g := make([][]float64, s) // [AᵀA Aᵀb] of the set
		for p, k := range in {
			g[p] = make([]float64, s+1)
			for i := range rows {
				for q, l := range in {
					g[p][q] += a[i*cols+k] * a[i*cols+l]
				}
				g[p][s] += a[i*cols+k] * b[i]
			}
		}
		for p := range s {
			for q := range s {
				if q == p {
					continue
				}
				f := g[q][p] / g[p][p]
				for c := p; c <= s; c++ {
					g[q][c] -= f * g[p][c]
				}
			}
		}
		x, feasible := make([]float64, cols), true
		for p, k := range in {
			x[k] = g[p][s] / g[p][p]
			feasible = feasible && x[k] >= 0
		}
		if e := errorOf(rows, cols, a, b, x); feasible && e < least {
			best, least = x, e
		}
	}
	return best, least
}

// errorOf is ‖Ax − b‖².
func errorOf(rows, cols int, a, b, x []float64) (sum float64) {
	for i := range rows {
		e := -b[i]
		for k := range cols {
			e += a[i*cols+k] * x[k]
		}
		sum += e * e
	}
	return sum
}

// No choice of positive coefficients has a lesser error, for entries of any sign, wide and
// tall matrices; and the number of threads changes no bit.
func TestNonnegativeLeastSquares(t *testing.T) {
	const sides = 130
	for _, shape := range [][2]int{{30, 6}, {7, 7}, {40, 1}, {5, 5}} {
		rows, cols := shape[0], shape[1]
		s := blas.NewStream(uint64(rows))
		a, b := make([]float64, rows*cols), make([]float64, sides*rows)
		s.Normals(a)
		s.Normals(b)
		clear(b[3*rows : 4*rows])
		x, residual, err := NonnegativeLeastSquares(context.Background(), rows, cols, a, sides, b, 0, 1)
		if err != nil || residual > 1e-10 {
			t.Fatalf("%v: residual %v, %v", shape, residual, err)
		}
		positive := 0
		for i := range sides {
			side, own := b[i*rows:(i+1)*rows], x[i*cols:(i+1)*cols]
			_, want := bestBySets(rows, cols, a, side)
			if got := errorOf(rows, cols, a, side, own); math.Abs(got-want) > 1e-9*blas.Dot(side, side) {
				t.Errorf("%v, side %d: error %v, want %v", shape, i, got, want)
			}
			for _, v := range own {
				if !(v >= 0) {
					t.Fatalf("%v, side %d: a coefficient is %v", shape, i, v)
				}
				if v > 0 {
					positive++
				}
			}
		}
		if positive == 0 || positive == sides*cols {
			t.Errorf("%v: %d of %d coefficients are positive: the case tests nothing", shape, positive, sides*cols)
		}
		again, _, err := NonnegativeLeastSquares(context.Background(), rows, cols, a, sides, b, 0, 3)
		if err != nil || !slices.Equal(x, again) {
			t.Errorf("%v: threads change the solutions (%v)", shape, err)
		}
	}
}

// A column of zeros counts for nothing, and of equal columns some solution is found.
func TestNonnegativeLeastSquaresOfOddColumns(t *testing.T) {
	a := []float64{1, 0, 1, 2, 0, 2, -1, 0, -1}
	x, residual, err := NonnegativeLeastSquares(context.Background(), 3, 3, a, 1, []float64{3, 6, -3}, 0, 1)
	if err != nil || residual > 1e-10 || x[1] != 0 || math.Abs(x[0]+x[2]-3) > 1e-9 {
		t.Errorf("%v, residual %v, %v", x, residual, err)
	}
}

func TestNonnegativeLeastSquaresRefuses(t *testing.T) {
	one := []float64{1}
	for want, call := range map[string]func() error{
		"1 numbers are no 2 × 1 matrix A":    func() error { return leastSquaresError(2, 1, one, 1, one, 0) },
		"1 numbers are no 2 right sides":     func() error { return leastSquaresError(1, 1, one, 2, one, 0) },
		"the tolerance is -1":                func() error { return leastSquaresError(1, 1, one, 1, one, -1) },
		"squares of A add up to NaN":         func() error { return leastSquaresError(1, 1, []float64{math.NaN()}, 1, one, 0) },
		"squares of the right sides add up":  func() error { return leastSquaresError(1, 1, one, 1, []float64{1e200}, 0) },
		"give at least one row and one colu": func() error { return leastSquaresError(0, 1, nil, 1, nil, 0) },
	} {
		must.Refuse(t, want)(call())
	}
}

func leastSquaresError(rows, cols int, a []float64, sides int, b []float64, tolerance float64) error {
	_, _, err := NonnegativeLeastSquares(context.Background(), rows, cols, a, sides, b, tolerance, 1)
	return err
}

// The second coefficient would be −1 without the bound: it is 0, and the first makes up
// for it as far as it can.
func ExampleNonnegativeLeastSquares() {
	a := []float64{
		1, 0,
		1, 1,
		0, 1,
	}
	b := []float64{2, 1, -1}
	x, _, err := NonnegativeLeastSquares(context.Background(), 3, 2, a, 1, b, 0, 0)
	fmt.Printf("%.3f %v\n", x, err)
	// Output: [1.500 0.000] <nil>
}
