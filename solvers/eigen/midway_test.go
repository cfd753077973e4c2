package eigen

import (
	"context"
	"math"
	"slices"
	"testing"
)

// Products that stop being finite at the start or in the midst of a search for eigenpairs or
// singular values end it, in an error or in pairs that are finite.
func TestProductsThatBreakMidway(t *testing.T) {
	ctx := context.Background()
	type product = func(width int, x, y []float64)
	eigen := func(e *Eigen, err error) ([]float64, error) {
		if err != nil {
			return nil, err
		}
		return slices.Concat(append(e.Vectors, e.Values)...), nil
	}
	searches := map[string]func(n int, multiply product) ([]float64, error){
		"smallest": func(n int, multiply product) ([]float64, error) {
			return eigen(Pencil{Operator: &Operator{Order: n, Multiply: multiply}}.Smallest(ctx, 3, Options{}))
		},
		"many": func(n int, multiply product) ([]float64, error) {
			return eigen(Pencil{Operator: &Operator{Order: n, Multiply: multiply}}.Smallest(ctx, min(n/5, 40), Options{}))
		},
		"largest": func(n int, multiply product) ([]float64, error) {
			return eigen(Largest(ctx, Operator{Order: n, Multiply: multiply}, 3, Options{}))
		},
		"singular": func(n int, multiply product) ([]float64, error) {
			s, err := Rectangular{Rows: n, Cols: n, Multiply: multiply, MultiplyTransposed: multiply}.SVD(ctx, 3, Options{})
			if err != nil {
				return nil, err
			}
			return s.Values, nil
		},
	}
	for _, n := range []int{20, 300, 700} {
		a := randomSymmetric(t, n, 3, 0.5, 4)
		for name, search := range searches {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64} {
				met := 0
				for _, from := range []int{1, 2, 4, 8, 16, 32} {
					products := 0
					found, err := search(n, func(width int, x, y []float64) {
						a.MulBlock(1, width, x, y)
						if products++; products >= from {
							y[n/2*width] = bad
						}
					})
					if products >= 4000 {
						t.Errorf("%s, %g from product %d on: %d products", name, bad, from, products)
					}
					if err != nil {
						met++
					}
					for _, v := range found {
						if v-v != 0 {
							t.Errorf("%s, %g from product %d on: a result of %v", name, bad, from, v)
							break
						}
					}
				}
				if met == 0 && (n == 700 || bad-bad != 0) {
					t.Errorf("%s: no search of order %d met %g", name, n, bad)
				}
			}
		}
	}
}
