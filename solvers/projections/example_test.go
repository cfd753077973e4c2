package projections_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/solvers/projections"
)

func ExampleSimplex() {
	z := make([]float64, 4)
	theta := projections.Simplex(z, []float64{0.9, 0.6, 0.1, -2}, 1)
	fmt.Printf("%.2f with threshold %.2f\n", z, theta)
	// Output: [0.65 0.35 0.00 0.00] with threshold 0.25
}

// The groups are the columns (3, −1) and (0.5, 0.5): their largest entries may sum to 2.
func ExampleGroups_Project() {
	a := []float64{
		3, 0.5,
		-1, 0.5,
	}
	var g projections.Groups
	t, err := g.Project(context.Background(), 2, 2, a, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	g.Apply(a[:2], a[:2])
	g.Apply(a[2:], a[2:])
	fmt.Printf("%.3g, t = %.3g\n", a, t)
	// Output: [2 0 -1 0], t = 1
}
