package exemplars_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/exemplars"
)

// Two samples lie close together: the subset of the largest determinant has only one of them.
func ExampleGreedy() {
	kernel := []float64{
		1, 0.9, 0.1,
		0.9, 1, 0.2,
		0.1, 0.2, 1,
	}
	chosen, _, err := exemplars.Greedy(context.Background(), kernel, 3, 2, exemplars.Options{})
	fmt.Println(chosen, err)
	// Output: [0 2] <nil>
}

// Samples on two lines through the origin: one of each stands for the others.
func ExampleProjection() {
	x := blas.Rows{N: 5, M: 2, Data: []float64{3, 0, 2, 0, 1, 0, 0, 1, 0, 2}}
	p, err := exemplars.Projection(context.Background(), x, 2, exemplars.Options{})
	fmt.Println(p.Indices, err)
	// Output: [0 3] <nil>
}
