package sparse_test

import (
	"context"
	"fmt"

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
