package sparse_test

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// A chain of springs between walls: A·x = b for two loads at once, then a
// second factorisation of the same pattern.
func ExampleAnalyze() {
	var entries []sparse.Triplet
	for i := range 5 {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 2})
		if i > 0 {
			entries = append(entries, sparse.Triplet{Row: i, Col: i - 1, Val: -1}, sparse.Triplet{Row: i - 1, Col: i, Val: -1})
		}
	}
	a, err := sparse.FromTriplets(5, 5, entries)
	if err != nil {
		panic(err)
	}
	ctx, kernels := context.Background(), blas.MustSelect("gonum")
	analysis, err := sparse.Analyze(ctx, a)
	if err != nil {
		panic(err)
	}
	fmt.Println("entries of L:", analysis.Entries())
	factor, err := analysis.Factor(ctx, kernels, 1, a, 0)
	if err != nil {
		panic(err)
	}
	x := []float64{1, 0, 1, 0, 1, 6, 1, 0, 1, 0} // two loads, row by row
	factor.Solve(x, 2, nil)
	for i := range 5 {
		fmt.Printf("%.2f %.2f\n", x[2*i], x[2*i+1])
	}
	_, err = analysis.Factor(ctx, kernels, 1, a, -4)
	fmt.Println(err != nil)
	// Output:
	// entries of L: 9
	// 2.50 3.00
	// 4.00 6.00
	// 4.50 9.00
	// 4.00 6.00
	// 2.50 3.00
	// true
}

// Heat in a rod: the same pattern at every step, with new values as the conductivity
// changes. UpdateValues needs neither a new analysis nor new memory.
func ExampleNewCholesky() {
	rod := func(conductivity float64) *sparse.CSR {
		var entries []sparse.Triplet
		for i := range 4 {
			entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 2 * conductivity})
			if i > 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: i - 1, Val: -conductivity}, sparse.Triplet{Row: i - 1, Col: i, Val: -conductivity})
			}
		}
		a, err := sparse.FromTriplets(4, 4, entries)
		if err != nil {
			panic(err)
		}
		return a
	}
	ctx := context.Background()
	c, err := sparse.NewCholesky(ctx, rod(1), 0, sparse.CholeskyOptions{})
	if err != nil {
		panic(err)
	}
	for _, conductivity := range []float64{1, 2} {
		if err := c.UpdateValues(ctx, rod(conductivity), 0); err != nil {
			panic(err)
		}
		x := []float64{1, 1, 1, 1}
		if err := c.Solve(x, 1); err != nil {
			panic(err)
		}
		logDet, err := c.LogDet()
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.2f, determinant %.0f\n", x, math.Exp(logDet))
	}
	err = c.UpdateValues(ctx, rod(-1), 0)
	fmt.Println(err)
	// Output:
	// [2.00 3.00 3.00 2.00], determinant 5
	// [1.00 1.50 1.50 1.00], determinant 80
	// sparse: Cholesky factorisation: pivot -2 in row and column 3 (counting from 0): the matrix is not positive definite; a greater shift may make it so
}
