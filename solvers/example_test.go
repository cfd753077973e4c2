package solvers_test

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// The Laplacian of a path of four points: eigenvalues 0, 2 − √2, 2, 2 + √2.
func ExampleSmallest() {
	var entries []sparse.Triplet
	for i := range 3 {
		entries = append(entries,
			sparse.Triplet{Row: i, Col: i, Val: 1}, sparse.Triplet{Row: i + 1, Col: i + 1, Val: 1},
			sparse.Triplet{Row: i, Col: i + 1, Val: -1}, sparse.Triplet{Row: i + 1, Col: i, Val: -1})
	}
	a, err := sparse.FromTriplets(4, 4, entries)
	if err != nil {
		fmt.Println(err)
		return
	}
	constant := []float64{0.5, 0.5, 0.5, 0.5}
	e, err := solvers.Smallest(context.Background(), a, [][]float64{constant}, 1, solvers.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, next %.4f, residual below 1e-12: %v\n", e.Values[0], e.Next, e.Residuals[0] < 1e-12)
	fmt.Println(math.Abs(e.Values[0]-(2-math.Sqrt2)) < 1e-14)
	// Output:
	// 0.5858, next 2.0000, residual below 1e-12: true
	// true
}

// Two pairs of points on a line.
func ExampleKMeans() {
	p, err := solvers.KMeans(context.Background(), []float64{0, 1, 10, 11}, 4, 1, 2, solvers.KMeansOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Labels, p.Centers, p.Cost)
	// Output: [0 0 1 1] [0.5 10.5] 1
}

// A matrix of two blocks: rounded, each column takes one of them.
func ExampleMaximize() {
	c := []float64{
		2, 1, 0, 0,
		1, 2, 0, 0,
		0, 0, 3, 1,
		0, 0, 1, 3,
	}
	start := []float64{0.9, 0.2, 0.8, 0.3, 0.1, 0.7, 0.3, 0.6}
	signed, err := solvers.SignedDense(4, c, false, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	r, err := solvers.Maximize(ctx, signed, 2, start, solvers.Multiplicative{Iterations: 500, Tolerance: 1e-9})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := solvers.Round(ctx, signed, 2, r.U, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("converged %v, columns %v, trace %.6f\n", r.Converged, exact.Label, exact.Trace)
	// Output:
	// converged true, columns [0 0 1 1], trace 7.000000
}
