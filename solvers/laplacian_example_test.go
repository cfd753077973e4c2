package solvers_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

func ExampleNewLaplacian() {
	// A path of three vertices, and one vertex alone.
	a, _ := sparse.FromEntries(4, 4, func(put func(i, j int, v float64)) {
		for i := range 2 {
			put(i, i, 1)
			put(i+1, i+1, 1)
			put(i, i+1, -1)
			put(i+1, i, -1)
		}
	})
	s, _ := solvers.NewLaplacian(context.Background(), a, solvers.LaplacianOptions{})
	x := []float64{1, 0, -1, 0}
	found, err := s.Solve(context.Background(), x, 1)
	fmt.Printf("%.3f %v %v\n", x, found.Residual < 1e-8, err)
	_, err = s.Solve(context.Background(), []float64{0, 0, 0, 2}, 1)
	fmt.Println(err)
	// Output:
	// [1.000 0.000 -1.000 0.000] true <nil>
	// solvers: laplacian: right-hand side 0 has no solution: its sum over vertex 3, which has no edge, is 2 instead of 0; subtract its mean there, or add a diagonal to the matrix
}
