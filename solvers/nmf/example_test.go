package nmf_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// Four documents about two topics: the counts are the product of two nonnegative
// factors, which are found again.
func ExampleFactorize() {
	counts := []float64{
		4, 2, 0, 0,
		2, 1, 0, 0,
		0, 0, 3, 3,
		4, 2, 1, 1,
	}
	r, err := nmf.Factorize(context.Background(), nmf.Dense(4, 4, counts), nmf.Options{Rank: 2, Solver: nmf.HALS, Iterations: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := r.Trace[len(r.Trace)-1]
	fmt.Printf("%d × 2 coordinates, relative error below 1e-6: %v\n", len(r.W)/2, last.Residual < 1e-6)
	// Output:
	// 4 × 2 coordinates, relative error below 1e-6: true
}
