package alm_test

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/solvers/alm"
)

// Six samples of two kinds: the larger indicator of a sample shows its kind.
func ExampleFactorize() {
	x := []float64{
		4, 2, 0,
		5, 2, 0,
		4, 3, 0,
		0, 1, 5,
		0, 0, 4,
		0, 1, 4,
	}
	ctx := context.Background()
	start, err := alm.Start(ctx, 6, 3, x, 2, alm.Options{}) // divides x by its spectral norm
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := alm.Factorize(ctx, 6, 3, x, nil, alm.Options{Rank: 2, Tolerance: 1e-4,
		W: start.W, H: start.H})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 6 {
		if w := found.W[2*i : 2*i+2]; w[0] > w[1] {
			fmt.Print("a ")
		} else {
			fmt.Print("b ")
		}
	}
	fmt.Println()
	// Output: a a a b b b
}
