package solvers_test

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers"
)

// The third sample is the first but for its last pixel, which is covered: the code does
// not follow it.
func ExampleRobustLasso() {
	samples := []float64{
		1, 1, 1, 1,
		1, 0, 0, 0,
		1, 1, 1, 0,
	}
	coder := solvers.NewRobustLasso(blas.MustSelect("auto"), 0, 0.01)
	a, report := coder.Solve(samples[8:], samples, []int32{0, 1}, nil)
	fmt.Printf("%.2f %v\n", a, report.Converged)
	// Output:
	// [1.00 0.00] true
}
