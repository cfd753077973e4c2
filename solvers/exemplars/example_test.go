package exemplars_test

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/solvers/exemplars"
)

// Six numbers in two heaps: two of them stand for all.
func ExampleDS3() {
	x := []float64{1, 2, 3, 11, 12, 13}
	n := len(x)
	d := make([]float64, n*n)
	for i := range x {
		for j := range x {
			d[i*n+j] = math.Abs(x[i] - x[j])
		}
	}
	r, err := exemplars.DS3(context.Background(), d, n, exemplars.DS3Options{Tau: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Representatives, r.Labels)
	// Output: [1 4] [0 0 0 1 1 1]
}
