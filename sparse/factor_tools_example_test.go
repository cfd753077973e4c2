package sparse_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// A Gaussian field on a rod, given by its precision: a sample and its whitening, the variance at every point, and what a measurement at the first
// point leaves of it.
func ExampleCholesky_Apply() {
	precision, err := sparse.FromEntries(4, 4, func(put func(i, j int, v float64)) {
		for i := range 4 {
			put(i, i, 2)
			if i > 0 {
				put(i, i-1, -1)
				put(i-1, i, -1)
			}
		}
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	c, err := sparse.NewCholesky(ctx, precision, 0, sparse.CholeskyOptions{})
	if err != nil {
		panic(err)
	}
	z := []float64{1, -1, 0.5, 0} // standard normal
	if err := c.Apply(z, 1, sparse.PartPT, sparse.PartInverseLT); err != nil {
		panic(err)
	}
	if err := c.Apply(z, 1, sparse.PartLT, sparse.PartP); err != nil {
		panic(err)
	}
	fmt.Printf("white again: %.1f\n", z)
	variances, err := c.InverseDiagonal(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("variances: %.3f\n", variances)
	entries, err := c.InverseEntries(ctx, precision)
	if err != nil {
		panic(err)
	}
	fmt.Printf("covariance of neighbours: %.3f\n", entries.At(0, 1))
	// A measurement of the first point with the variance 1/4 adds 4 to its entry of the precision.
	if err := c.UpdateRank(ctx, mat.NewDense(4, 1, []float64{2, 0, 0, 0}), false); err != nil {
		panic(err)
	}
	if variances, err = c.InverseDiagonal(ctx); err != nil {
		panic(err)
	}
	fmt.Printf("measured: %.3f\n", variances)
	// Output:
	// white again: [1.0 -1.0 0.5 0.0]
	// variances: [0.800 1.200 1.200 0.800]
	// covariance of neighbours: 0.600
	// measured: [0.190 0.857 1.048 0.762]
}
